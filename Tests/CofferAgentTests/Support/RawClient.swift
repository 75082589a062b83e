import CSystem
import CofferAgent
import Foundation
import SecureMemory
import VaultFile

/// A client that keeps to no protocol.
final class RawClient {
    let socket: Int32
    private var isClosed = false

    init(_ path: String) throws {
        socket = cs_socket()
        guard socket >= 0 else { throw POSIXError(.EMFILE) }
        while unsafe cs_socket_connect(socket, path) != 0 {
            // The agent has not accepted those before us yet.
            guard errno == EAGAIN else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            usleep(1_000)
        }
    }

    deinit { close() }

    func close() {
        if !isClosed { Glibc.close(socket) }
        isClosed = true
    }

    /// Sends bytes, unless the agent has ended the connection.
    ///
    /// - Returns: how many went out before the agent took no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(socket, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EAGAIN {
                guard wait(POLLOUT, 5) else { return sent }
                continue
            }
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }

    func send(_ request: consuming AgentRequest) throws {
        let frame = try request.encode()
        send(frame.bytes.array(0..<frame.count))
    }

    func greet() throws {
        try send(.hello(version: AgentProtocol.version))
        guard reply() != nil else { throw POSIXError(.EPROTO) }
    }

    /// The next reply as its summary; nil when the connection ends or nothing comes.
    func reply(within seconds: Double = 20) -> String? {
        guard let prefix = read(4, seconds) else { return nil }
        guard let body = read(Int(prefix.rawSpan.littleEndian(0, as: UInt32.self)), seconds) else { return nil }
        guard let reply = try? AgentReply.decode(body.rawSpan) else { return "nonsense" }
        return SampleReplies.summary(reply)
    }

    /// Reads bytes, whatever they are.
    func skip(_ count: Int) -> Bool { read(count, 20) != nil }

    /// Waits until something has come that can be read.
    func waitForBytes() -> Bool { wait(POLLIN, 20) }

    /// Whether the agent ends the connection, whatever came before and was not read.
    func isHungUp(within seconds: Double = 20) -> Bool { wait(0, seconds) }

    /// Whether the agent ends the connection without another byte.
    func isEnded(within seconds: Double = 20) -> Bool {
        guard wait(POLLIN, seconds) else { return false }
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, 0) <= 0
    }

    private func read(_ count: Int, _ seconds: Double) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard wait(POLLIN, seconds) else { return nil }
            var buffer = [UInt8](repeating: 0, count: min(count - bytes.count, 1 << 20))
            let got = unsafe recv(socket, &buffer, buffer.count, 0)
            guard got > 0 else { return nil }
            bytes += buffer.prefix(got)
        }
        return bytes
    }

    private func wait(_ events: Int32, _ seconds: Double) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        return unsafe poll(&entry, 1, Int32(seconds * 1_000)) > 0
    }
}
