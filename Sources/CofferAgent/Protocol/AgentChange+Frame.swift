internal import SecureMemory

private enum StepCode: UInt8 {
    case set = 1, remove, rename, undo
}

extension AgentChange {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.path(path)
        try writer.optional(expected) { (writer, number) throws(AgentProtocolError) in try writer.number(number) }
        guard steps.count <= AgentProtocol.maximumSteps else { throw .tooLarge }
        try writer.count(steps.count)
        for step in steps { try write(step, to: &writer) }
    }

    // Each value stands in its step, so that a frame has no places in it which could lie.
    private func write(_ step: AgentStep, to writer: inout FrameWriter) throws(AgentProtocolError) {
        switch step {
        case .set(let name, let value, let replaces):
            try writer.byte(StepCode.set.rawValue)
            try writer.name(name)
            try writer.flag(replaces)
            guard value.upperBound <= values.count else { throw .malformed }
            try writer.bytes(values.bytes.extracting(value))
        case .remove(let name, let undoable, let mayBeAbsent):
            try writer.byte(StepCode.remove.rawValue)
            try writer.name(name)
            try writer.flag(undoable)
            try writer.flag(mayBeAbsent)
        case .rename(let old, let new, let replaces):
            try writer.byte(StepCode.rename.rawValue)
            try writer.name(old)
            try writer.name(new)
            try writer.flag(replaces)
        case .undo(let name):
            try writer.byte(StepCode.undo.rawValue)
            try writer.name(name)
        }
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        let path = try reader.path()
        let expected = try reader.optional { (reader) throws(AgentProtocolError) in try reader.number(UInt64.self) }
        // Room for all that can follow: a growth would copy what is there.
        var values = try Self.arena(reader.left)
        var steps: [AgentStep] = []
        let count = Int(try reader.number(UInt32.self))
        guard count <= AgentProtocol.maximumSteps, count <= reader.left else { throw .malformed }
        steps.reserveCapacity(count)
        for _ in 0..<count { steps.append(try Self.step(&reader, &values)) }
        self.init(path: path, expected: expected, steps: steps, values: values)
    }

    private static func step(
        _ reader: inout FrameReader, _ values: inout GuardedArena
    ) throws(AgentProtocolError) -> AgentStep {
        guard let code = StepCode(rawValue: try reader.byte()) else { throw .malformed }
        let name = try reader.name()
        switch code {
        case .set:
            let replaces = try reader.flag()
            return .set(name: name, value: try reader.append(to: &values), replaces: replaces)
        case .remove:
            let undoable = try reader.flag()
            return .remove(name: name, undoable: undoable, mayBeAbsent: try reader.flag())
        case .rename:
            let new = try reader.name()
            return .rename(from: name, to: new, replaces: try reader.flag())
        case .undo: return .undo(name: name)
        }
    }

    private static func arena(_ capacity: Int) throws(AgentProtocolError) -> GuardedArena {
        do throws(SecureMemoryError) { return try GuardedArena(capacity: capacity) } catch { throw .memory }
    }
}
