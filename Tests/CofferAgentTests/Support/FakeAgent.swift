import CSystem
import CofferAgent
import Foundation
import SecureMemory

/// Something that listens where an agent would, and answers its one client with bytes of a test's choice.
final class FakeAgent: Sendable {
    /// Closed when nobody uses it any more: the number of a closed one is soon that of another test's agent.
    private final class Listener: Sendable {
        let number = cs_socket()

        deinit { Glibc.close(number) }
    }

    private let listener = Listener()

    /// - Parameters:
    ///   - readsMore: whether it ends only when the client has sent something more, which it takes.
    ///   - answer: gets what the client sent first; nil leaves it without an answer.
    init(
        _ location: AgentLocation, readsMore: Bool = false, answer: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) throws {
        if unsafe mkdir(location.directory, 0o700) != 0, errno != EEXIST { throw POSIXError(.EIO) }
        guard unsafe cs_socket_listen(listener.number, location.socketPath, 8) == 0 else { throw POSIXError(.EIO) }
        Thread.detachNewThread { [listener] in
            var entry = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 10_000) > 0 else { return }
            let socket = cs_socket_accept(listener.number)
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
            if readsMore {
                _ = unsafe poll(&entry, 1, 10_000)
                _ = unsafe recv(socket, &bytes, bytes.count, 0)
            }
            Glibc.close(socket)
        }
    }

    /// Takes no more clients.
    func close() { shutdown(listener.number, Int32(SHUT_RDWR)) }

    deinit { close() }
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
