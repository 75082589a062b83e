internal import CSystem
internal import Glibc
internal import SecureMemory

#if !os(Linux)
    #error("ShellCommand knows Linux only: add a file for this system to this folder")
#endif

/// A command for the shell whose output we read through a pipe.
///
/// It keeps the terminal and standard error, so that it can ask a person. Its standard input is ours only if that is
/// a terminal: a pipe there carries the value to store, which is not for the command to take.
struct ShellCommand: ~Copyable {
    /// How it ended.
    enum Status: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    private let output: Int32
    private let process: pid_t
    private var status: Status?

    /// Starts `/bin/sh -c`.
    init(_ command: String) throws(SystemError) {
        // Where it is ignored, the system forgets how a child ended.
        _ = signal(SIGCHLD, SIG_DFL)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { Descriptors.closeOnExec(end) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if !Descriptors.isTerminal(STDIN_FILENO) {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for number in WriteSignals.ignoredByUs { unsafe sigaddset(&defaults, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var words = unsafe [strdup("sh"), strdup("-c"), strdup(command), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, cs_environment())
        Descriptors.close(ends[1])
        guard failure == 0 else {
            Descriptors.close(ends[0])
            throw SystemError(number: failure)
        }
        output = ends[0]
        self.process = process
    }

    deinit { Descriptors.close(output) }

    /// Reads what it printed, waiting until there is something or it has ended.
    ///
    /// The end of the shell is the end of the output, whoever else still holds the pipe: what it left in the background
    /// may do so for hours.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    mutating func read(into buffer: inout GuardedBuffer, at offset: Int) throws(SystemError) -> Int {
        while true {
            // Before the look into the pipe, so that all is seen that was written before the end.
            let hasEnded = try hasEnded()
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, hasEnded ? 0 : 100)
            if ready > 0 { return try Descriptors.read(output, into: &buffer, at: offset) }
            if ready < 0 && errno != EINTR { throw SystemError(number: errno) }
            if ready == 0 && hasEnded { return 0 }
        }
    }

    private mutating func hasEnded() throws(SystemError) -> Bool {
        if status == nil { status = try wait(WNOHANG) }
        return status != nil
    }

    /// Waits for its end.
    mutating func end() throws(SystemError) -> Status {
        while true {
            if let status { return status }
            status = try wait(0)
        }
    }

    private func wait(_ options: Int32) throws(SystemError) -> Status? {
        var status: Int32 = 0
        while true {
            let result = unsafe waitpid(process, &status, options)
            if result == 0 { return nil }
            if result > 0 { break }
            if errno != EINTR { throw SystemError(number: errno) }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
