import CofferAgent
import SecureMemory
import Testing
import VaultFile

@Suite("Frames")
struct FrameTests {
    @Test("Every request comes back as it went out", arguments: 0..<SampleRequests.count)
    func requests(index: Int) throws {
        let request = try SampleRequests.make(index)
        let frame = try request.encode()
        let back = try AgentRequest.decode(Self.body(frame))
        #expect(SampleRequests.summary(back) == SampleRequests.summary(request))
        // There is one way to write it.
        let again = try back.encode()
        #expect(again.bytes.array(0..<again.count) == frame.bytes.array(0..<frame.count))
    }

    @Test("Every reply comes back as it went out", arguments: 0..<SampleReplies.count)
    func replies(index: Int) throws {
        let reply = try SampleReplies.make(index)
        let frame = try reply.encode()
        let back = try AgentReply.decode(Self.body(frame))
        #expect(SampleReplies.summary(back) == SampleReplies.summary(reply))
        let again = try back.encode()
        #expect(again.bytes.array(0..<again.count) == frame.bytes.array(0..<frame.count))
    }

    @Test("A frame begins with the number of the bytes that follow")
    func prefix() throws {
        let frame = try AgentRequest.lock(path: "/ab").encode()
        #expect(frame.bytes.array(0..<frame.count) == [9, 0, 0, 0, 5, 1, 3, 0, 0, 0] + Array("/ab".utf8))
    }

    @Test("A request that is cut short is refused wherever it is cut", arguments: 0..<SampleRequests.count)
    func cutRequests(index: Int) throws {
        let body = try Self.bytes(of: SampleRequests.make(index))
        for length in 0..<body.count {
            // Of a greeting in another version nothing is read behind the version.
            #expect(Self.refusal(ofRequest: Array(body.prefix(length))) == .malformed, "\(length) bytes")
        }
    }

    @Test("A reply that is cut short is refused wherever it is cut", arguments: 0..<SampleReplies.count)
    func cutReplies(index: Int) throws {
        let body = try Self.bytes(of: SampleReplies.make(index))
        for length in 0..<body.count {
            #expect(Self.refusal(ofReply: Array(body.prefix(length))) == .malformed, "\(length) bytes")
        }
    }

    @Test("Bytes behind the end are refused", arguments: 0..<SampleRequests.count)
    func trailingBytes(index: Int) throws {
        let body = try Self.bytes(of: SampleRequests.make(index))
        // Index 1 greets in another version, of which only the beginning is known.
        #expect(Self.refusal(ofRequest: body + [0]) == (index == 1 ? nil : .malformed))
    }

    @Test("Bytes behind the end of a reply are refused", arguments: 0..<SampleReplies.count)
    func trailingReplyBytes(index: Int) throws {
        #expect(Self.refusal(ofReply: try Self.bytes(of: SampleReplies.make(index)) + [0]) == .malformed)
    }

    @Test("Unknown verbs and statuses are refused")
    func unknownVerbs() {
        for code in (0...255).map({ UInt8($0) }) where !(1...10).contains(code) {
            #expect(Self.refusal(ofRequest: [code]) == .malformed)
        }
        for code in (0...255).map({ UInt8($0) }) where !(1...9).contains(code) {
            #expect(Self.refusal(ofReply: [code]) == .malformed)
        }
    }

    // MARK: Helpers

    static func bytes(of request: consuming AgentRequest) throws -> [UInt8] {
        let frame = try request.encode()
        return frame.bytes.array(AgentProtocol.prefixLength..<frame.count)
    }

    static func bytes(of reply: consuming AgentReply) throws -> [UInt8] {
        let frame = try reply.encode()
        return frame.bytes.array(AgentProtocol.prefixLength..<frame.count)
    }

    static func refusal(ofRequest body: [UInt8]) -> AgentProtocolError? {
        do throws(AgentProtocolError) {
            _ = try AgentRequest.decode(body.rawSpan)
            return nil
        } catch { return error }
    }

    static func refusal(ofReply body: [UInt8]) -> AgentProtocolError? {
        do throws(AgentProtocolError) {
            _ = try AgentReply.decode(body.rawSpan)
            return nil
        } catch { return error }
    }

    @_lifetime(borrow frame)
    private static func body(_ frame: borrowing GuardedArena) -> RawSpan {
        frame.bytes.extracting(AgentProtocol.prefixLength..<frame.count)
    }
}
