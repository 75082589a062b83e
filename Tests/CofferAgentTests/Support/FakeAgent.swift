import CSystem
import CofferAgent
import Foundation
import SecureMemory

/// Something that listens where an agent would, and answers its one client with bytes of a test's choice.
final class FakeAgent: Sendable {
    private let listener: Int32

    /// - Parameter answer: gets what the client sent first; nil leaves it without an answer.
    init(_ location: AgentLocation, answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        if unsafe mkdir(location.directory, 0o700) != 0, errno != EEXIST { throw POSIXError(.EIO) }
        let listener = cs_socket()
        guard unsafe cs_socket_listen(listener, location.socketPath, 8) == 0 else { throw POSIXError(.EIO) }
        self.listener = listener
        Thread.detachNewThread {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 10_000) > 0 else { return }
            let socket = cs_socket_accept(listener)
            guard socket >= 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 64)
            entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, 10_000)
            let count = unsafe recv(socket, &bytes, bytes.count, 0)
            guard let reply = answer(Array(bytes.prefix(max(count, 0)))) else {
                // Until the client goes.
                _ = unsafe poll(&entry, 1, 10_000)
                Glibc.close(socket)
                return
            }
            _ = unsafe Glibc.send(socket, reply, reply.count, Int32(MSG_NOSIGNAL))
            Glibc.close(socket)
        }
    }

    func close() { Glibc.close(listener) }
}

/// A change with a value of many bytes.
enum LargeChange {
    static func make(_ count: Int) throws -> AgentChange {
        var values = try GuardedArena(capacity: count)
        let value = try GuardedBuffer(randomCount: count)
        let range = try values.append(value.bytes)
        return AgentChange(
            path: "/v", expected: nil, steps: [.set(name: "a", value: range, replaces: true)], values: values)
    }
}
