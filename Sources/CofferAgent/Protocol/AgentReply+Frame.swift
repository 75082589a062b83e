internal import Coffer
package import SecureMemory

private enum Status: UInt8 {
    case hello = 1, done, status, epoch, value, list, changed, details, failure
}

extension AgentReply {
    /// Writes the reply as a frame.
    ///
    /// - Throws: `tooLarge`, `memory`.
    package borrowing func encode() throws(AgentProtocolError) -> GuardedArena {
        let expected =
            switch self {
            case .value(_, .some(let list)): list.count
            case .status(let vaults): vaults.reduce(0) { $0 + $1.path.utf8.count + 64 }
            default: 0
            }
        var writer = try FrameWriter(expected: expected)
        try write(to: &writer)
        return try writer.finish()
    }

    private borrowing func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        switch self {
        case .hello(let version, let memory):
            try writer.byte(Status.hello.rawValue)
            try writer.number(version)
            try memory.write(to: &writer)
        case .done: try writer.byte(Status.done.rawValue)
        case .status(let vaults):
            try writer.byte(Status.status.rawValue)
            try writer.array(vaults) { (writer, vault) throws(AgentProtocolError) in try vault.write(to: &writer) }
        case .epoch(let epoch):
            try writer.byte(Status.epoch.rawValue)
            try writer.number(epoch)
        case .value(let generation, .none):
            try writer.byte(Status.value.rawValue)
            try writer.number(generation)
            try writer.flag(false)
        case .value(let generation, .some(let list)):
            try writer.byte(Status.value.rawValue)
            try writer.number(generation)
            try writer.flag(true)
            try writer.bytes(list.bytes)
        case .list(let generation, let entries, let hasMore, let now):
            try writer.byte(Status.list.rawValue)
            try writer.number(generation)
            try writer.array(entries) { (writer, entry) throws(AgentProtocolError) in try entry.write(to: &writer) }
            try writer.flag(hasMore)
            try writer.signed(now)
        case .changed(let generation, let outcomes, let warnings):
            try writer.byte(Status.changed.rawValue)
            try writer.number(generation)
            try writer.array(outcomes) { (writer, outcome) throws(AgentProtocolError) in try outcome.write(to: &writer)
            }
            try writer.warnings(warnings)
        case .details(let details):
            try writer.byte(Status.details.rawValue)
            try details.write(to: &writer)
        case .failure(let failure):
            try writer.byte(Status.failure.rawValue)
            try failure.write(to: &writer)
        }
    }

    /// Reads the body of a frame.
    ///
    /// - Throws: `malformed`, `memory`.
    package static func decode(_ body: RawSpan) throws(AgentProtocolError) -> AgentReply {
        var reader = FrameReader(body)
        guard let status = Status(rawValue: try reader.byte()) else { throw .malformed }
        let reply = try read(status, &reader)
        try reader.end()
        return reply
    }

    private static func read(
        _ status: Status, _ reader: inout FrameReader
    ) throws(AgentProtocolError) -> AgentReply {
        switch status {
        case .hello:
            let version = try reader.number(UInt32.self)
            return .hello(version: version, memory: try AgentMemory(&reader))
        case .done: return .done
        case .status:
            return .status(
                try reader.array { (reader) throws(AgentProtocolError) in try AgentVaultStatus(&reader) })
        case .epoch: return .epoch(try reader.number(UInt64.self))
        case .value:
            let generation = try reader.number(UInt64.self)
            guard try reader.flag() else { return .value(generation: generation, list: nil) }
            return .value(generation: generation, list: try reader.guarded())
        case .list:
            let generation = try reader.number(UInt64.self)
            let entries = try reader.array { (reader) throws(AgentProtocolError) in try AgentEntry(&reader) }
            let hasMore = try reader.flag()
            return .list(generation: generation, entries: entries, hasMore: hasMore, now: try reader.signed())
        case .changed:
            let generation = try reader.number(UInt64.self)
            let outcomes = try reader.array { (reader) throws(AgentProtocolError) in try AgentOutcome(&reader) }
            return .changed(generation: generation, outcomes: outcomes, warnings: try reader.warnings())
        case .details: return .details(try AgentDetails(&reader))
        case .failure: return .failure(try AgentFailure(&reader))
        }
    }
}
