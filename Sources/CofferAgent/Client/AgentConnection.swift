internal import SecureMemory
internal import VaultFile

/// A client's connection to the agent, which is checked to be of the same user; greeted before anything secret is sent.
package struct AgentConnection: ~Copyable, Sendable {
    private enum Greeting {
        /// It is sent, and the answer is to come before a time.
        case sent(deadline: Int64)
        case answered(AgentMemory)
        /// The agent speaks another version.
        case refused(version: UInt32)
    }

    /// How long an agent may take to answer a greeting: it does nothing else for that.
    package static let patience = Duration.seconds(5)

    /// The socket.
    package let location: AgentLocation
    private let socket: OwnedDescriptor
    private var greeting: Greeting
    private var isBroken = false
    /// Whether the last request was sent to its end, so that it may be done. What is cut short no agent does.
    package private(set) var isSent = false

    /// Connects, checks who listens, and greets. The answer is taken with that of the first request.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - timeout: how long the agent may take to answer the greeting.
    /// - Throws: `noAgent`, `foreignAgent`, `broken`, `timedOut`.
    package init(greeting location: AgentLocation, timeout: Duration = patience) throws(AgentClientError) {
        let deadline = MonotonicTime.deadline(after: timeout)
        socket = try Self.greet(location, until: deadline)
        greeting = .sent(deadline: deadline)
        self.location = location
    }

    /// Connects, checks who listens, greets, and waits for the answer.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - timeout: how long to wait for the greeting's answer.
    /// - Throws: `noAgent`, `foreignAgent`, `version`, `broken`, `timedOut`.
    package init(to location: AgentLocation, timeout: Duration = patience) throws(AgentClientError) {
        let deadline = MonotonicTime.deadline(after: timeout)
        let socket = try Self.greet(location, until: deadline)
        greeting = .answered(try Self.greeted(try Self.receive(from: socket.number, until: deadline)))
        self.socket = socket
        self.location = location
    }

    /// Connects to an agent of any version, checks who listens, greets, and waits for the answer.
    ///
    /// An agent of another version takes a lock of everything and a stop.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - timeout: how long to wait for the greeting's answer.
    /// - Throws: `noAgent`, `foreignAgent`, `broken`, `timedOut`.
    package init(toAnyVersion location: AgentLocation, timeout: Duration = patience) throws(AgentClientError) {
        let deadline = MonotonicTime.deadline(after: timeout)
        let socket = try Self.greet(location, until: deadline)
        do throws(AgentClientError) {
            greeting = .answered(try Self.greeted(try Self.receive(from: socket.number, until: deadline)))
        } catch {
            guard case .version(let version) = error else { throw error }
            greeting = .refused(version: version)
        }
        self.socket = socket
        self.location = location
    }

    /// Whether the agent has answered the greeting.
    package var isGreeted: Bool {
        switch greeting {
        case .sent: false
        case .answered, .refused: true
        }
    }

    /// How the agent's memory is protected, as it says when it is greeted; waits for that if need be.
    ///
    /// - Throws: `version`, `broken`, `timedOut`; after them there is no other answer.
    package mutating func memory() throws(AgentClientError) -> AgentMemory { try memory(until: .min) }

    /// Waits for the answer to the greeting until its own time is over, or until another time that is later.
    private mutating func memory(until later: Int64) throws(AgentClientError) -> AgentMemory {
        switch greeting {
        case .answered(let memory): return memory
        case .refused(let version): throw .version(version)
        case .sent(let deadline):
            guard !isBroken else { throw .broken }
            do throws(AgentClientError) {
                let memory = try Self.greeted(try Self.receive(from: socket.number, until: max(deadline, later)))
                greeting = .answered(memory)
                return memory
            } catch {
                isBroken = true
                throw error
            }
        }
    }

    /// Asks and waits for the answer. After a failure of the connection there is no other answer.
    ///
    /// - Parameters:
    ///   - request: what is asked. It is sent once, and no key or value before the greeting is answered.
    ///   - timeout: how long to wait for the answer.
    /// - Throws: `tooLarge` and `noMemory` before a byte was sent; `version` instead of an answer to the greeting; `broken`
    ///   and `timedOut`, after which the agent may have done it if it was sent.
    package mutating func exchange(
        _ request: consuming AgentRequest, timeout: Duration = .seconds(30)
    ) throws(AgentClientError) -> AgentReply {
        isSent = false
        guard !isBroken else { throw .broken }
        let deadline = MonotonicTime.deadline(after: timeout)
        var isOfEveryVersion = false
        if case .refused = greeting { isOfEveryVersion = request.isOfEveryVersion }
        if case .refused(let version) = greeting, !isOfEveryVersion { throw .version(version) }
        // The time since the connection was made counts for nothing: its process may have been stopped meanwhile.
        let greetingDeadline = min(deadline, MonotonicTime.deadline(after: Self.patience))
        if request.carriesSecrets { _ = try memory(until: greetingDeadline) }
        let frame = try Self.encode(request)
        do throws(AgentClientError) {
            // The key or the value has done its work when it is sent, and is wiped there.
            isSent = try Self.send(frame, on: socket.number, until: deadline)
            if !isOfEveryVersion { _ = try memory(until: greetingDeadline) }
            // An agent that did not take all of it has said why, or never will.
            return try Self.receive(from: socket.number, until: isSent ? deadline : greetingDeadline)
        } catch {
            // What comes later would be taken for the answer of the next request.
            isBroken = true
            throw error
        }
    }

    /// Waits until the agent has ended the connection, as it does when it ends itself.
    ///
    /// - Returns: whether it did in time.
    package mutating func waitForEnd(timeout: Duration) -> Bool {
        isBroken = true
        let deadline = MonotonicTime.deadline(after: timeout)
        while UnixSocket.wait(socket.number, for: .reading, until: deadline) {
            var bytes: [UInt8] = []
            if UnixSocket.read(socket.number, into: &bytes) == .ended { return true }
        }
        return false
    }

    // MARK: Steps

    private static func greet(
        _ location: AgentLocation, until deadline: Int64
    ) throws(AgentClientError) -> OwnedDescriptor {
        let socket = try connect(to: location, until: deadline)
        // Before the first byte: whoever listens there would get keys.
        guard UnixSocket.isOfThisUser(socket.number) else {
            throw .foreignAgent(path: location.socketPath, reason: "another user listens there")
        }
        _ = try send(try encode(.hello(version: AgentProtocol.version)), on: socket.number, until: deadline)
        return socket
    }

    private static func connect(
        to location: AgentLocation, until deadline: Int64
    ) throws(AgentClientError) -> OwnedDescriptor {
        let path = location.socketPath
        let directory: RuntimeDirectory
        do throws(AgentPlaceError) {
            directory = try RuntimeDirectory(location)
        } catch {
            switch error {
            case .refused(let path, let reason): throw .foreignAgent(path: path, reason: reason)
            case .failed(_, let errno, _): throw .noAgent(path: path, errno: errno)
            case .alreadyRunning: throw .broken
            }
        }
        return try withExtendedLifetime(directory) { (directory) throws(AgentClientError) in
            while true {
                if let socket = try attempt(path) { return OwnedDescriptor(socket) }
                // The agent lives and has many others to accept before.
                guard MonotonicTime.now < deadline else { throw .timedOut }
                MonotonicTime.pause()
            }
        }
    }

    private static func attempt(_ path: String) throws(AgentClientError) -> Int32? {
        do throws(Errno) { return try UnixSocket.connect(to: path) } catch {
            throw .noAgent(path: path, errno: error.code)
        }
    }

    private static func greeted(_ reply: consuming AgentReply) throws(AgentClientError) -> AgentMemory {
        switch consume reply {
        case .hello(AgentProtocol.version, let memory): return memory
        case .hello(let version, _): throw .version(version)
        case .failure(.version(let version)): throw .version(version)
        default: throw .broken
        }
    }

    private static func encode(_ request: consuming AgentRequest) throws(AgentClientError) -> GuardedArena {
        do throws(AgentProtocolError) { return try request.encode() } catch {
            throw error == .memory ? .noMemory : .tooLarge
        }
    }

    /// - Returns: whether all of it was sent.
    private static func send(
        _ frame: consuming GuardedArena, on socket: Int32, until deadline: Int64
    ) throws(AgentClientError) -> Bool {
        var sent = 0
        while sent < frame.count {
            switch UnixSocket.write(socket, frame.bytes.extracting(sent..<frame.count)) {
            case .some(let count): sent += count
            case .none:
                // An agent that refuses a frame in the middle says so, and reads no more.
                guard UnixSocket.wait(socket, for: .writing, until: deadline) else { throw .timedOut }
            case .ended: return false
            }
        }
        return true
    }

    private static func receive(from socket: Int32, until deadline: Int64) throws(AgentClientError) -> AgentReply {
        var incoming = IncomingFrame()
        while true {
            guard UnixSocket.wait(socket, for: .reading, until: deadline) else { throw .timedOut }
            switch incoming.receive(from: socket) {
            case .partial: continue
            // Without room for the answer it is not known what it said: that is no refusal.
            case .ended, .malformed, .noRoom: throw .broken
            case .complete: break
            }
            do throws(AgentProtocolError) {
                return try incoming.withBody { (body) throws(AgentProtocolError) in try AgentReply.decode(body) }
            } catch {
                throw .broken
            }
        }
    }
}
