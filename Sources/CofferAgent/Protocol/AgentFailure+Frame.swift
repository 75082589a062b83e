internal import Coffer

private enum FailureCode: UInt8 {
    case vault = 1, version, malformed, busy, staleEpoch, generation, refused
}

extension AgentFailure {
    // A failure's code and the version's number are laid out the same in every version.
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        switch self {
        case .vault(let error):
            try writer.byte(FailureCode.vault.rawValue)
            try writer.error(error)
        case .version(let version):
            try writer.byte(FailureCode.version.rawValue)
            try writer.number(version)
        case .malformed: try writer.byte(FailureCode.malformed.rawValue)
        case .busy: try writer.byte(FailureCode.busy.rawValue)
        case .staleEpoch: try writer.byte(FailureCode.staleEpoch.rawValue)
        case .generation(let newest):
            try writer.byte(FailureCode.generation.rawValue)
            try writer.number(newest)
        case .refused(let refusal):
            try writer.byte(FailureCode.refused.rawValue)
            try writer.byte(refusal.rawValue)
        }
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        guard let code = FailureCode(rawValue: try reader.byte()) else { throw .malformed }
        switch code {
        case .vault: self = .vault(try reader.error())
        case .version: self = .version(try reader.number(UInt32.self))
        case .malformed: self = .malformed
        case .busy: self = .busy
        case .staleEpoch: self = .staleEpoch
        case .generation: self = .generation(try reader.number(UInt64.self))
        case .refused:
            guard let refusal = AgentRefusal(rawValue: try reader.byte()) else { throw .malformed }
            self = .refused(refusal)
        }
    }
}
