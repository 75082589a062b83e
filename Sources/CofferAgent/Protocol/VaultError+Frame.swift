internal import Coffer

// The numbers are those of the protocol, and are never used again for something else.
private enum ErrorCode: UInt8 {
    case noVault = 1, alreadyExists, notAVault, unsupportedVersion, unsupportedFeature, damaged, limitExceeded
    case notEnoughMemory, wrongPassphrase, tampered, invalidContents, rolledBack, forked, replaced, rekeyed
    case noMatchingSlot, conflict, locked, ioError, savedButNotSynced, notFound, typeMismatch, refused
    case outcomeUnknown
}

extension FrameWriter {
    mutating func error(_ error: VaultError) throws(AgentProtocolError) {
        switch error {
        case .noVault(let path): try write(.noVault, [path])
        case .alreadyExists(let path): try write(.alreadyExists, [path])
        case .notAVault(let path): try write(.notAVault, [path])
        case .unsupportedVersion(let version):
            try write(.unsupportedVersion)
            try number(version)
        case .unsupportedFeature(let field, let value):
            try write(.unsupportedFeature, [field])
            try number(value)
        case .damaged(let reason): try write(.damaged, [reason])
        case .limitExceeded(let field, let value, let bound):
            try write(.limitExceeded, [field])
            try number(value)
            try number(bound)
        case .notEnoughMemory(let memoryKiB):
            try write(.notEnoughMemory)
            try optional(memoryKiB) { (writer, size) throws(AgentProtocolError) in try writer.number(size) }
        case .wrongPassphrase: try write(.wrongPassphrase)
        case .tampered: try write(.tampered)
        case .invalidContents(let reason): try write(.invalidContents, [reason])
        case .rolledBack(let generation, let newest):
            try write(.rolledBack)
            try number(generation)
            try number(newest)
        case .forked(let generation):
            try write(.forked)
            try number(generation)
        case .replaced: try write(.replaced)
        case .rekeyed: try write(.rekeyed)
        case .noMatchingSlot: try write(.noMatchingSlot)
        case .conflict: try write(.conflict)
        case .locked: try write(.locked)
        case .ioError(let step, let errno, let path):
            try write(.ioError, [step, path])
            try signed(errno)
        case .savedButNotSynced(let errno, let path):
            try write(.savedButNotSynced, [path])
            try signed(errno)
        case .outcomeUnknown(let path): try write(.outcomeUnknown, [path])
        case .notFound(let name): try write(.notFound, [name])
        case .typeMismatch(let name, let expected, let found): try write(.typeMismatch, [name, expected, found])
        case .refused(let reason): try write(.refused, [reason])
        }
    }

    private mutating func write(_ code: ErrorCode, _ texts: [String] = []) throws(AgentProtocolError) {
        try byte(code.rawValue)
        for text in texts { try self.text(text) }
    }
}

extension FrameReader {
    mutating func error() throws(AgentProtocolError) -> VaultError {
        guard let code = ErrorCode(rawValue: try byte()) else { throw .malformed }
        switch code {
        case .noVault: return .noVault(path: try text())
        case .alreadyExists: return .alreadyExists(path: try text())
        case .notAVault: return .notAVault(path: try text())
        case .unsupportedVersion: return .unsupportedVersion(try number(UInt16.self))
        case .unsupportedFeature:
            let field = try text()
            return .unsupportedFeature(field: field, value: try number(UInt64.self))
        case .damaged: return .damaged(reason: try text())
        case .limitExceeded:
            let field = try text()
            let value = try number(UInt64.self)
            return .limitExceeded(field: field, value: value, bound: try number(UInt64.self))
        case .notEnoughMemory:
            return .notEnoughMemory(
                memoryKiB: try optional { (reader) throws(AgentProtocolError) in try reader.number(UInt32.self) })
        case .wrongPassphrase: return .wrongPassphrase
        case .tampered: return .tampered
        case .invalidContents: return .invalidContents(reason: try text())
        case .rolledBack:
            let generation = try number(UInt64.self)
            return .rolledBack(generation: generation, newest: try number(UInt64.self))
        case .forked: return .forked(generation: try number(UInt64.self))
        case .replaced: return .replaced
        case .rekeyed: return .rekeyed
        case .noMatchingSlot: return .noMatchingSlot
        case .conflict: return .conflict
        case .locked: return .locked
        case .ioError:
            let (step, path) = (try text(), try text())
            return .ioError(step: step, errno: try signed32(), path: path)
        case .savedButNotSynced:
            let path = try text()
            return .savedButNotSynced(errno: try signed32(), path: path)
        case .outcomeUnknown: return .outcomeUnknown(path: try text())
        case .notFound: return .notFound(name: try text())
        case .typeMismatch:
            let (name, expected) = (try text(), try text())
            return .typeMismatch(name: name, expected: expected, found: try text())
        case .refused: return .refused(reason: try text())
        }
    }
}
