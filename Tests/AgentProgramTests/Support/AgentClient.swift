import CSystem
import CofferAgent
import Foundation
import Glibc
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// A client of the agent in the process of the test.
final class AgentClient {
    /// An answer that was not expected.
    struct Unexpected: Error { let failure: AgentFailure? }

    private var connection: AgentConnection
    let vault: String

    init(_ location: AgentLocation, vault: String) throws {
        // All that a loaded machine does takes long.
        connection = try AgentConnection(to: location, timeout: .seconds(60))
        self.vault = vault
    }

    func ask(_ request: consuming AgentRequest) throws -> AgentReply {
        try connection.exchange(request, timeout: .seconds(60))
    }

    /// The bytes of a text or of data; nil where there is no such setting.
    func get(_ name: String) throws -> [UInt8]? {
        let reply = try ask(.value(path: vault, name: name))
        switch consume reply {
        case .value(_, let list):
            switch consume list {
            case .none: return nil
            case .some(let list):
                let reader = PropertyListReader(trusted: list.bytes)
                return reader.kind(of: 0) == .data
                    ? reader.data(0).array : Array(try PlainValue.text(0, of: reader).utf8)
            }
        case .failure(let failure): throw Unexpected(failure: failure)
        default: throw Unexpected(failure: nil)
        }
    }

    /// Saves data, and gives the generation that holds it.
    @discardableResult
    func set(_ name: String, _ value: [UInt8]) throws -> UInt64 {
        let reply = try ask(Self.change(vault, name, value))
        switch consume reply {
        case .changed(let generation, _, _): return generation
        case .failure(let failure): throw Unexpected(failure: failure)
        default: throw Unexpected(failure: nil)
        }
    }

    static func change(_ vault: String, _ name: String, _ value: [UInt8]) throws -> AgentRequest {
        var values = try GuardedArena()
        let range = try LeafList.append(data: value.rawSpan, to: &values)
        let step = AgentStep.set(name: name, value: range, replaces: true)
        return .change(AgentChange(path: vault, expected: nil, steps: [step], values: values))
    }

    /// What an unlock with a key answers: nil when it is done.
    func unlock(_ key: [UInt8], epoch: UInt64, idle: Duration? = nil) throws -> AgentFailure? {
        let reply = try ask(
            .unlock(AgentUnlock(path: vault, epoch: epoch, key: try GuardedBuffer(key), idle: idle, maximumAge: nil)))
        switch consume reply {
        case .done: return nil
        case .failure(let failure): return failure
        default: throw Unexpected(failure: nil)
        }
    }

    func epoch() throws -> UInt64 {
        let reply = try ask(.epoch(path: vault))
        guard case .epoch(let number) = reply else { throw Unexpected(failure: nil) }
        return number
    }

    func status() throws -> [AgentVaultStatus] {
        let reply = try ask(.status)
        guard case .status(let vaults) = reply else { throw Unexpected(failure: nil) }
        return vaults
    }

    func names() throws -> [String] {
        let reply = try ask(.list(path: vault, after: nil))
        guard case .list(_, let entries, _, _) = reply else { throw Unexpected(failure: nil) }
        return entries.map(\.name)
    }

    func lockAll() throws { _ = try ask(.lock(path: nil)) }
}

/// A client that keeps to no protocol.
final class RawClient {
    private let socket: Int32
    private var isClosed = false

    init(_ location: AgentLocation) throws {
        socket = cs_socket()
        guard socket >= 0 else { throw POSIXError(.EMFILE) }
        while unsafe cs_socket_connect(socket, location.socketPath) != 0 {
            // The agent has not accepted those before us yet.
            guard errno == EAGAIN else {
                let code = errno
                close()
                throw POSIXError(.init(rawValue: code) ?? .EIO)
            }
            usleep(1_000)
        }
    }

    deinit { close() }

    func close() {
        if !isClosed { Glibc.close(socket) }
        isClosed = true
    }

    /// Sends bytes, for as long as the agent takes them.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN, wait(POLLOUT, 5) { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func greet() throws {
        send(try Self.bytes(.hello(version: AgentProtocol.version)))
        _ = try #require(reply())
    }

    static func bytes(_ request: consuming AgentRequest) throws -> [UInt8] {
        let frame = try request.encode()
        return frame.bytes.array
    }

    /// The body of the next reply.
    func reply() -> [UInt8]? {
        guard let head = read(4) else { return nil }
        return read(head.enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) })
    }

    /// Whether the agent ends the connection; what it says before is read.
    func isEnded(within seconds: Int32 = 60) -> Bool {
        while wait(POLLIN, seconds) {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(socket, &bytes, bytes.count, 0)
            if count == 0 || (count < 0 && errno != EAGAIN) { return true }
        }
        return false
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard wait(POLLIN, 60) else { return nil }
            var some = [UInt8](repeating: 0, count: min(count - bytes.count, 1 << 16))
            let got = unsafe recv(socket, &some, some.count, 0)
            guard got > 0 else { return nil }
            bytes += some.prefix(got)
        }
        return bytes
    }

    private func wait(_ events: Int32, _ seconds: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        return unsafe poll(&entry, 1, seconds * 1_000) > 0
    }
}
