internal import Coffer

// The numbers are those of the protocol, and are never used again for something else.
private enum WarningCode: UInt8 {
    case weakKeyDerivation = 1, readableByOthers, groupNotKept, syncedEverything, triggerUnavailable
    case timerUnavailable, fileNotWatched, freshnessNotRemembered
}

extension FrameWriter {
    mutating func warnings(_ warnings: [VaultWarning]) throws(AgentProtocolError) {
        try array(warnings) { (writer, warning) throws(AgentProtocolError) in try writer.warning(warning) }
    }

    private mutating func warning(_ warning: VaultWarning) throws(AgentProtocolError) {
        switch warning {
        case .weakKeyDerivation(let passes, let memoryKiB):
            try byte(WarningCode.weakKeyDerivation.rawValue)
            try number(passes)
            try number(memoryKiB)
        case .readableByOthers(let permissions):
            try byte(WarningCode.readableByOthers.rawValue)
            try number(permissions)
        case .groupNotKept: try byte(WarningCode.groupNotKept.rawValue)
        case .syncedEverything: try byte(WarningCode.syncedEverything.rawValue)
        case .triggerUnavailable(let name, let errno):
            try byte(WarningCode.triggerUnavailable.rawValue)
            try text(name)
            try signed(errno)
        case .timerUnavailable: try byte(WarningCode.timerUnavailable.rawValue)
        case .fileNotWatched(let errno):
            try byte(WarningCode.fileNotWatched.rawValue)
            try signed(errno)
        case .freshnessNotRemembered(let errno, let path):
            try byte(WarningCode.freshnessNotRemembered.rawValue)
            try signed(errno)
            try text(path)
        }
    }
}

extension FrameReader {
    mutating func warnings() throws(AgentProtocolError) -> [VaultWarning] {
        try array { (reader) throws(AgentProtocolError) in try reader.warning() }
    }

    private mutating func warning() throws(AgentProtocolError) -> VaultWarning {
        guard let code = WarningCode(rawValue: try byte()) else { throw .malformed }
        switch code {
        case .weakKeyDerivation:
            let passes = try number(UInt32.self)
            return .weakKeyDerivation(passes: passes, memoryKiB: try number(UInt32.self))
        case .readableByOthers: return .readableByOthers(permissions: try number(UInt32.self))
        case .groupNotKept: return .groupNotKept
        case .syncedEverything: return .syncedEverything
        case .triggerUnavailable:
            let name = try text()
            return .triggerUnavailable(name: name, errno: try signed32())
        case .timerUnavailable: return .timerUnavailable
        case .fileNotWatched: return .fileNotWatched(errno: try signed32())
        case .freshnessNotRemembered:
            let errno = try signed32()
            return .freshnessNotRemembered(errno: errno, path: try text())
        }
    }
}
