import CofferAgent
import Foundation
import Glibc
import PropertyLists
import SecureMemory
import Synchronization
import TestSupport
import Testing

/// What listens where an agent would, and answers as a test wants it to.
final class FakeAgent: Sendable {
    typealias Answer = @Sendable (_ number: Int, _ request: Request) throws -> AgentReply?

    /// What was asked, less what nobody has to know here.
    enum Request: Equatable {
        case hello, status, epoch, details, stop
        case unlock(epoch: UInt64, keyLength: Int, idle: Duration?, maximumAge: Duration?, acceptsUnexpected: Bool)
        case lock(path: String?)
        case value(name: String)
        case list(after: String?)
        case change([AgentStep])

        init(_ request: consuming AgentRequest) {
            switch consume request {
            case .hello: self = .hello
            case .status: self = .status
            case .epoch: self = .epoch
            case .details: self = .details
            case .stop: self = .stop
            case .unlock(let unlock):
                self = .unlock(
                    epoch: unlock.epoch, keyLength: unlock.key.count, idle: unlock.idle, maximumAge: unlock.maximumAge,
                    acceptsUnexpected: unlock.acceptsUnexpected)
            case .lock(let path): self = .lock(path: path)
            case .value(_, let name): self = .value(name: name)
            case .list(_, let after): self = .list(after: after)
            case .change(let change): self = .change(change.steps)
            }
        }
    }

    let runtime: String
    /// Signalled for each connection that has ended.
    let ended = DispatchSemaphore(value: 0)
    private let listener: Int32

    /// Listens.
    ///
    /// - Parameters:
    ///   - version: the one that it greets with.
    ///   - dropping: how many connections it ends before it greets.
    ///   - last: the request after whose answer it ends the connection, besides the one to stop.
    ///   - isLeaving: whether it takes no other connection then.
    ///   - answer: gets the number of the request, over all connections, and the request; nothing ends the connection.
    init(
        version: UInt32 = AgentProtocol.version, dropping: Int = 0, endingAfter last: Request? = nil,
        isLeaving: Bool = false, _ answer: @escaping Answer
    ) throws {
        var template = Array("/tmp/coffer.XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        let runtime = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(runtime)/agent.sock".utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(listener, 8) == 0)
        self.runtime = runtime
        self.listener = listener
        let (count, ended) = (Counter(), ended)
        Thread {
            // Closed here alone: the number of a closed one is soon that of another test's agent.
            defer { close(listener) }
            var dropped = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Its end is EINVAL, by the shutdown; descriptors may be short for a moment.
                    guard errno != EINVAL else { return }
                    usleep(1_000)
                    continue
                }
                if dropped < dropping { dropped += 1 } else { Self.serve(connection, version, last, count, answer) }
                if isLeaving { shutdown(listener, Int32(SHUT_RDWR)) }
                close(connection)
                ended.signal()
            }
        }.start()
    }

    deinit {
        // Ends the accepting, now or when the thread comes back to it.
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: runtime)
    }

    /// The built program, which takes this for its agent.
    func runner(_ session: CofferSession) -> CommandRunner {
        var runner = session.runner
        runner.environment["COFFER_RUNTIME_DIR"] = runtime
        return runner
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                defer { count += 1 }
                return count
            }
        }
    }

    private static func serve(
        _ connection: Int32, _ version: UInt32, _ last: Request?, _ count: Counter, _ answer: Answer
    ) {
        let memory = AgentMemory(isLocked: true, isWipedOnFork: true, bindsLazily: false, refusals: [])
        while let head = read(4, from: connection) {
            let length = (0..<4).reduce(0) { $0 | Int(head.bytes[$1]) << ($1 * 8) }
            guard let body = read(length, from: connection), let decoded = try? AgentRequest.decode(body.bytes) else {
                return
            }
            let request = Request(decoded)
            let reply: AgentReply?
            if request == .hello {
                reply =
                    version == AgentProtocol.version
                    ? .hello(version: version, memory: memory) : .failure(.version(version))
            } else {
                reply = (try? answer(count.next(), request)) ?? nil
            }
            guard let reply, let frame = try? reply.encode() else { return }
            write(frame.bytes, to: connection)
            if request == .stop || request == last { return }
        }
    }

    private static func read(_ count: Int, from connection: Int32) -> GuardedBuffer? {
        guard var buffer = try? GuardedBuffer(count: count) else { return nil }
        var got = 0
        while got < count {
            let number = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(connection, bytes.baseAddress.map { unsafe $0 + got }, count - got)
            }
            if number <= 0 { return nil }
            got += number
        }
        return buffer
    }

    private static func write(_ bytes: RawSpan, to connection: Int32) {
        var sent = 0
        while sent < bytes.byteCount {
            let number = unsafe bytes.withUnsafeBytes { bytes in
                unsafe send(
                    connection, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if number <= 0 { return }
            sent += number
        }
    }
}

extension GuardedBuffer {
    /// A list whose root is a text.
    static func list(of text: String) throws -> GuardedBuffer {
        var builder = try PropertyListBuilder()
        let utf8 = Array(text.utf8)
        try builder.string(utf8: unsafe utf8.span.bytes)
        return try builder.finish()
    }
}
