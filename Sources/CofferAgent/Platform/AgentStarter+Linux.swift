internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("AgentStarter knows Linux only: add a file for this system to this folder")
#endif

/// Starts an agent that outlives the program, the terminal and the session that asked for it.
package enum AgentStarter {
    /// Starts an agent and waits until it listens. One that lives already is left alone.
    ///
    /// The agent is a process of its own session, with the root as its working directory and nothing open but the null
    /// device: it keeps no terminal, drive or pipe busy. Of the environment it is given what it needs.
    ///
    /// - Parameters:
    ///   - location: where it is to listen.
    ///   - program: the program that has the verb `agent run`.
    ///   - timeout: how long it may take to be ready.
    /// - Returns: the number of the process that was started, a child of this one for the caller to wait for. Where another
    ///   agent was faster, that child has ended, and the number is nil.
    /// - Throws: why there is none.
    @discardableResult
    package static func start(
        at location: AgentLocation, program: String = "/proc/self/exe", timeout: Duration = .seconds(10)
    ) throws(AgentStartError) -> Int32? {
        let deadline = MonotonicTime.deadline(after: timeout)
        // Here there is somebody to tell what is wrong with it.
        try checkDirectory(location)
        while true {
            if let child = try attempt(at: location, program, until: deadline) { return child }
            // The other one may have been about to end, and then there is none.
            if try waitForOther(location, until: deadline) { return nil }
        }
    }

    /// Starts an agent once.
    ///
    /// - Returns: nil if it has ended because another one lives.
    private static func attempt(
        at location: AgentLocation, _ program: String, until deadline: Int64
    ) throws(AgentStartError) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard unsafe cs_pipe(&ends) == 0 else { throw .failed(step: "make a pipe", errno: errno) }
        let reading = OwnedDescriptor(ends[0])
        var writing: OwnedDescriptor? = OwnedDescriptor(ends[1])
        let child = try spawn(program, location, ready: ends[1])
        // From now on the agent alone has the other end, so that its death ends the wait.
        writing = nil
        _ = consume writing
        let line: ReadyLine?
        switch hear(reading.number, until: deadline) {
        case .line(.ready): return child
        case .late:
            end(child)
            throw .timedOut
        case .line(let told): line = told
        case .nothing: line = nil
        }
        guard let status = status(of: child, until: deadline) else { throw .timedOut }
        switch line {
        case .running: return nil
        case .refused(let path, let reason): throw .refused(path: path, reason: reason)
        case .failed(let step, let errno): throw .failed(step: step, errno: errno)
        case .ready, nil: throw .ended(status: status)
        }
    }

    private static func checkDirectory(_ location: AgentLocation) throws(AgentStartError) {
        do throws(AgentPlaceError) { _ = try RuntimeDirectory(location, creating: true) } catch {
            switch error {
            case .refused(let path, let reason): throw .refused(path: path, reason: reason)
            case .failed(let step, let errno, _): throw .failed(step: step, errno: errno)
            case .alreadyRunning: return
            }
        }
    }

    private static func spawn(
        _ program: String, _ location: AgentLocation, ready: Int32
    ) throws(AgentStartError) -> pid_t {
        let line = ["coffer", "agent", "run", "--ready-fd", "3"]
        var words = unsafe line.map { unsafe strdup($0) } + [nil]
        // The agent must listen where its client looks, however the client came to know.
        let place = unsafe strdup("\(variable)\(location.directory)")
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe free(place)
        }
        var variables = unsafe otherVariables() + [place, nil]
        var child: pid_t = 0
        let result = unsafe cs_spawn_detached(&child, program, &words, &variables, ready)
        guard result == 0 else { throw .failed(step: "start the agent", errno: result) }
        return child
    }

    private static let variable = "COFFER_RUNTIME_DIR="

    // What an agent needs to find its files, its user and its time. It outlives whoever asked for it: tokens of a shell are
    // none of its business, and what the linker would load into it even less.
    private static let handedOn: Set<String> = [
        "HOME", "USER", "LOGNAME", "PATH", "LANG", "TZ", "TMPDIR", "SWIFT_BACKTRACE",
    ]

    private static func isHandedOn(_ entry: UnsafeMutablePointer<CChar>) -> Bool {
        guard let end = unsafe strchr(entry, 0x3D) else { return false }
        let count = unsafe end - entry
        let bytes = unsafe UnsafeRawBufferPointer(start: entry, count: count)
        let name = unsafe String(decoding: bytes, as: UTF8.self)
        return handedOn.contains(name)
            || ["LC_", "XDG_", "COFFER_"].contains { name.hasPrefix($0) } && "\(name)=" != variable
    }

    private static func otherVariables() -> [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        var next = unsafe cs_environment()
        while let entry = unsafe next?.pointee {
            if unsafe isHandedOn(entry) { unsafe variables.append(entry) }
            unsafe next = unsafe next.map { unsafe $0 + 1 }
        }
        return unsafe variables
    }

    // MARK: Waiting

    private enum Heard { case line(ReadyLine), nothing, late }

    private static func hear(_ descriptor: Int32, until deadline: Int64) -> Heard {
        var text: [UInt8] = []
        while text.last != 0x0A {
            guard UnixSocket.wait(descriptor, for: .reading, until: deadline) else { return .late }
            var bytes = [UInt8](repeating: 0, count: ReadyLine.maximumLength)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, text.count + count <= ReadyLine.maximumLength else { return .nothing }
            text += bytes.prefix(count)
        }
        return ReadyLine(Array(text.dropLast())).map { .line($0) } ?? .nothing
    }

    /// Another agent was faster; it may not listen yet.
    ///
    /// - Returns: false if nobody listens for a while.
    private static func waitForOther(
        _ location: AgentLocation, until deadline: Int64
    ) throws(AgentStartError) -> Bool {
        let patience = MonotonicTime.deadline(after: .milliseconds(100))
        while MonotonicTime.now < deadline {
            do throws(AgentClientError) {
                _ = try AgentConnection(to: location, timeout: .nanoseconds(deadline - MonotonicTime.now))
                return true
            } catch {
                switch error {
                case .noAgent, .broken:
                    guard MonotonicTime.now < patience else { return false }
                    usleep(5_000)
                // Somebody is there, and the next connection says what is wrong.
                case .foreignAgent, .version, .tooLarge, .noMemory: return true
                case .timedOut: throw .timedOut
                }
            }
        }
        throw .timedOut
    }

    /// The status of a child that is about to end. One that does not in time is ended.
    private static func status(of child: pid_t, until deadline: Int64) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(child, &status, WNOHANG)
            // Somebody else has waited for it.
            if found < 0, errno != EINTR { return -1 }
            if found > 0 { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F) }
            guard MonotonicTime.now < deadline else {
                end(child)
                return nil
            }
            usleep(2_000)
        }
    }

    /// Ends a child, and waits for it: not for ever, since a drive that hangs can hold it up.
    private static func end(_ child: pid_t) {
        kill(child, SIGKILL)
        var status: Int32 = 0
        for _ in 0..<1_000 {
            let found = unsafe waitpid(child, &status, WNOHANG)
            if found > 0 || (found < 0 && errno != EINTR) { return }
            usleep(1_000)
        }
    }
}
