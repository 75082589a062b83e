internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("ShellCommand knows Linux only: add a file for this system to this folder")
#endif

/// A command for the shell whose output we read through a pipe.
///
/// It keeps the terminal and standard error, so that it can ask a person. Its standard input is ours only if that is
/// a terminal: a pipe there carries the value to store, which is not for the command to take.
struct ShellCommand {
    /// How it ended.
    enum Status: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    /// The end of the pipe to read from; the caller closes it.
    let output: Int32
    private let process: pid_t

    /// Starts `/bin/sh -c`.
    init(_ command: String) throws(SystemError) {
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
        unsafe sigaddset(&defaults, SIGPIPE)
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

    /// Waits for its end.
    func wait() throws(SystemError) -> Status {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            if errno != EINTR { throw SystemError(number: errno) }
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
