import CofferAgent
import SecureMemory

/// The frames between the agent and its clients: the first byte tells which of them wrote, the others are the body.
enum FrameArea {
    static func run(_ input: RawSpan) {
        guard input.byteCount > 0 else { return }
        let body = input.extracting(1..<input.byteCount)
        do throws(AgentProtocolError) {
            if input[0] & 1 == 0 { try request(body) } else { try reply(body) }
        } catch {
            promise(error == .malformed, "reading what came needs little memory: \(error)")
        }
    }

    private static func request(_ body: RawSpan) throws(AgentProtocolError) {
        let request = try AgentRequest.decode(body)
        if case .hello(let version) = request, version != AgentProtocol.version { return }
        check(try encoded(request), body)
    }

    private static func reply(_ body: RawSpan) throws(AgentProtocolError) {
        let reply = try AgentReply.decode(body)
        check(try encoded(reply), body)
    }

    private static func encoded(_ request: borrowing AgentRequest) throws(AgentProtocolError) -> [UInt8] {
        let frame = try request.encode()
        return frame.bytes.array
    }

    private static func encoded(_ reply: borrowing AgentReply) throws(AgentProtocolError) -> [UInt8] {
        let frame = try reply.encode()
        return frame.bytes.array
    }

    private static func check(_ frame: [UInt8], _ body: RawSpan) {
        promise(Array(frame.dropFirst(AgentProtocol.prefixLength)) == body.array, "an accepted frame is the only one")
    }
}
