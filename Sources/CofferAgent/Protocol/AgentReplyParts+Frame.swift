internal import Coffer
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

extension AgentMemory {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.flag(isLocked)
        try writer.flag(isWipedOnFork)
        try writer.flag(bindsLazily)
        try writer.byte(UInt8(truncatingIfNeeded: refusals.rawValue))
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        isLocked = try reader.flag()
        isWipedOnFork = try reader.flag()
        bindsLazily = try reader.flag()
        refusals = ProcessHardening.Refusals(rawValue: Int(try reader.byte()))
    }
}

extension AgentVaultStatus {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.path(path)
        try writer.byte(lockState.code)
        for time in [idleLeft, maximumLeft] {
            try writer.optional(time) { (writer, time) throws(AgentProtocolError) in try writer.duration(time) }
        }
        try writer.flag(isMemoryLocked)
        try writer.warnings(warnings)
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        path = try reader.path()
        lockState = try LockState(code: reader.byte())
        idleLeft = try reader.optional { (reader) throws(AgentProtocolError) in try reader.duration() }
        maximumLeft = try reader.optional { (reader) throws(AgentProtocolError) in try reader.duration() }
        isMemoryLocked = try reader.flag()
        warnings = try reader.warnings()
    }
}

extension LockState {
    fileprivate var code: UInt8 {
        switch self {
        case .locked: 0
        case .unlocked: 1
        case .unlockedWithoutCopy: 2
        }
    }

    fileprivate init(code: UInt8) throws(AgentProtocolError) {
        switch code {
        case 0: self = .locked
        case 1: self = .unlocked
        case 2: self = .unlockedWithoutCopy
        default: throw .malformed
        }
    }
}

extension AgentEntry {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.name(name)
        try writer.byte(kind.code)
        try writer.optional(modified) { (writer, time) throws(AgentProtocolError) in try writer.signed(time) }
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        name = try reader.name()
        kind = try PropertyListKind(code: reader.byte())
        modified = try reader.optional { (reader) throws(AgentProtocolError) in try reader.signed() }
    }
}

extension AgentOutcome {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.optional(before) { (writer, kind) throws(AgentProtocolError) in try writer.byte(kind.code) }
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        before = try reader.optional { (reader) throws(AgentProtocolError) in
            try PropertyListKind(code: reader.byte())
        }
    }
}

extension PropertyListKind {
    private static let inOrder: [PropertyListKind] = [
        .boolean, .integer, .real, .date, .data, .string, .array, .dictionary,
    ]

    fileprivate var code: UInt8 { UInt8(Self.inOrder.firstIndex(of: self) ?? 0) }

    fileprivate init(code: UInt8) throws(AgentProtocolError) {
        guard Self.inOrder.indices.contains(Int(code)) else { throw .malformed }
        self = Self.inOrder[Int(code)]
    }
}

extension AgentDetails {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.number(generation)
        try writer.bytes(vaultID.rawSpan)
        try writer.bytes(check.rawSpan)
        for number in [
            numbers.settingsLength, numbers.metadataLength, numbers.paddingLength, numbers.settingsCount,
            numbers.removedCount, numbers.undoCount, numbers.recipientCount,
        ] {
            try writer.number(UInt64(max(0, number)))
        }
        try writer.flag(numbers.hasAges)
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        generation = try reader.number(UInt64.self)
        vaultID = try reader.plain()
        check = try reader.plain()
        var counts: [Int] = []
        for _ in 0..<7 {
            guard let count = Int(exactly: try reader.number(UInt64.self)) else { throw .malformed }
            counts.append(count)
        }
        numbers = PlaintextSummary(
            settingsLength: counts[0], metadataLength: counts[1], paddingLength: counts[2], settingsCount: counts[3],
            hasAges: try reader.flag(), removedCount: counts[4], undoCount: counts[5], recipientCount: counts[6])
    }
}
