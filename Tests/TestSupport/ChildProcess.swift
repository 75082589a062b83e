internal import CSystem
internal import Glibc

/// A child process in a session of its own, started with exactly the descriptors that a test gives it.
package struct ChildProcess: Sendable {
    /// How a process ended.
    package enum Status: Equatable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    /// A call of the system that failed in the test itself.
    package struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// The number of the process.
    package let identifier: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: what follows the name.
    ///   - environment: all of its environment.
    ///   - descriptors: which of our descriptors becomes which of its own; no other is open there.
    ///   - terminal: the path of a terminal that becomes its controlling one, as descriptors 0, 1 and 2.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32] = [:],
        terminal: String? = nil
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for standard in Int32(0)...2 where descriptors[standard] == nil && terminal == nil {
            unsafe posix_spawn_file_actions_addclose(&actions, standard)
        }
        if let terminal {
            // The first terminal that the leader of a session opens becomes the session's own.
            unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
        for (theirs, ours) in descriptors.sorted(by: { $0.key < $1.key }) {
            unsafe posix_spawn_file_actions_adddup2(&actions, ours, theirs)
        }
        // What the harness left open is none of the child's business.
        for other in Int32(3)..<256 where descriptors[other] == nil {
            unsafe posix_spawn_file_actions_addclose(&actions, other)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Other tests and the harness may hold signals back or ignore them.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80  // POSIX_SPAWN_SETSID
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let result = unsafe posix_spawn(&identifier, program, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw Failure(call: "posix_spawn", number: result) }
        self.identifier = identifier
    }

    /// Waits for its end, and ends it by force after a while.
    package func wait(within seconds: Int = 60) throws -> Status {
        for _ in 0..<seconds * 200 {
            var status: Int32 = 0
            let result = unsafe waitpid(identifier, &status, WNOHANG)
            if result < 0 { throw Failure(call: "waitpid", number: errno) }
            if result > 0 { return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F) }
            usleep(5000)
        }
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(identifier, &status, 0)
        throw Failure(call: "wait", number: ETIMEDOUT)
    }

    /// A pipe whose ends no other child inherits.
    package static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure(call: "pipe", number: errno) }
        for end in ends { _ = cs_close_on_exec(end) }
        return (ends[0], ends[1])
    }
}
