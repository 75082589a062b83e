import CofferAgent
import PropertyLists
import SecureMemory
import TestSupport
import VaultFile

/// Judges bytes that do not come from a file: lists, by both readers, and the frames of the agent and its clients.
enum BytesJudge {
    /// Says whether a list is the canonical one of a vault's settings, and what any reader makes of it.
    static func list(_ bytes: [UInt8], _ meter: inout Meter) throws -> Answer {
        try meter.measure {
            let isCanonical = isAccepted(bytes.rawSpan)
            guard let values = canonicalized(bytes.rawSpan) else {
                return Answer(isCanonical ? "canonical,_but_not_readable" : "refused")
            }
            var answer = Answer(isCanonical ? "canonical" : "readable")
            answer.values = values
            return answer
        }
    }

    private static func isAccepted(_ list: RawSpan) -> Bool {
        do throws(PropertyListError) {
            try CanonicalCheck.check(list, maximumDepth: Limits.settingsDepth, names: .settings)
            return true
        } catch {
            return false
        }
    }

    private static func canonicalized(_ list: RawSpan) -> [UInt8]? {
        do throws(PropertyListError) {
            let list = try LenientReader.canonicalize(list)
            return list.bytes.array
        } catch {
            return nil
        }
    }

    /// Says whether the agent takes the body of a frame for a request.
    static func request(_ body: [UInt8], _ meter: inout Meter) throws -> Answer {
        try judge(body, &meter) { (body) throws(AgentProtocolError) in
            let request = try AgentRequest.decode(body)
            return try isOfOtherVersion(request) ? nil : encoded(request)
        }
    }

    /// Says whether a client takes the body of a frame for a reply.
    static func reply(_ body: [UInt8], _ meter: inout Meter) throws -> Answer {
        try judge(body, &meter) { (body) throws(AgentProtocolError) in
            let reply = try AgentReply.decode(body)
            return try encoded(reply)
        }
    }

    /// - Parameter again: reads a frame and writes it; nil where what was read is not all of it.
    private static func judge(
        _ body: [UInt8], _ meter: inout Meter, _ again: (RawSpan) throws(AgentProtocolError) -> [UInt8]?
    ) throws -> Answer {
        try meter.measure {
            do throws(AgentProtocolError) {
                guard let frame = try again(body.rawSpan) else { return Answer("accepted") }
                let isSame = Array(frame.dropFirst(AgentProtocol.prefixLength)) == body
                return Answer(isSame ? "accepted" : "written_in_another_way")
            } catch {
                return Answer("\(error)")
            }
        }
    }

    // What follows the version there is not ours to know.
    private static func isOfOtherVersion(_ request: borrowing AgentRequest) -> Bool {
        switch request {
        case .hello(let version): version != AgentProtocol.version
        default: false
        }
    }

    private static func encoded(_ request: borrowing AgentRequest) throws(AgentProtocolError) -> [UInt8] {
        let frame = try request.encode()
        return frame.bytes.array
    }

    private static func encoded(_ reply: borrowing AgentReply) throws(AgentProtocolError) -> [UInt8] {
        let frame = try reply.encode()
        return frame.bytes.array
    }
}
