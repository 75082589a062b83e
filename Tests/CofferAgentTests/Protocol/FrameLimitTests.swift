import CofferAgent
import SecureMemory
import Testing
import VaultFile

@Suite("Limits of frames")
struct FrameLimitTests {
    private static func text(_ text: [UInt8]) -> [UInt8] { UInt32(text.count).littleEndianBytes + text }

    private static func value(path: [UInt8], name: [UInt8]) -> [UInt8] { [6] + text(path) + text(name) }

    @Test("A length beyond the bytes that came is refused", arguments: [5, 6, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
    func lengthsBeyondTheBytes(length: UInt32) {
        let body = [3] + length.littleEndianBytes + Array("/abc".utf8)
        #expect(FrameTests.refusal(ofRequest: body) == .malformed)
    }

    @Test("Text that is not UTF-8 is refused")
    func invalidText() {
        #expect(FrameTests.refusal(ofRequest: Self.value(path: [0x2F], name: [0xC3, 0xA9])) == nil)
        for bytes: [UInt8] in [[0xC3], [0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(FrameTests.refusal(ofRequest: Self.value(path: [0x2F], name: bytes)) == .malformed)
            #expect(FrameTests.refusal(ofRequest: Self.value(path: [0x2F] + bytes, name: [])) == .malformed)
        }
    }

    @Test("A path is absolute, has no zero byte and is no longer than the system takes")
    func paths() {
        #expect(FrameTests.refusal(ofRequest: Self.value(path: [], name: [])) == .malformed)
        #expect(FrameTests.refusal(ofRequest: Self.value(path: Array("a/b".utf8), name: [])) == .malformed)
        #expect(FrameTests.refusal(ofRequest: Self.value(path: [0x2F, 0, 0x61], name: [])) == .malformed)
        let longest = [UInt8](repeating: 0x2F, count: AgentProtocol.maximumPath)
        #expect(FrameTests.refusal(ofRequest: Self.value(path: longest, name: [])) == nil)
        #expect(FrameTests.refusal(ofRequest: Self.value(path: longest + [0x2F], name: [])) == .malformed)
    }

    @Test("What is neither yes nor no is refused")
    func flags() {
        #expect(FrameTests.refusal(ofRequest: [5, 0]) == nil)
        #expect(FrameTests.refusal(ofRequest: [5, 2] + Self.text([0x2F])) == .malformed)
    }

    @Test("A key has 32 bytes", arguments: [0, 31, 33])
    func keyLength(count: Int) throws {
        let key = try GuardedBuffer(count: count)
        let frame = try AgentRequest.unlock(AgentUnlock(path: "/v", epoch: 1, key: key, idle: nil, maximumAge: nil))
            .encode()
        let body = frame.bytes.array(AgentProtocol.prefixLength..<frame.count)
        #expect(FrameTests.refusal(ofRequest: body) == .malformed)
    }

    @Test("A time that is negative is refused, and written as none")
    func times() throws {
        func body(_ idle: Duration) throws -> [UInt8] {
            let key = try GuardedBuffer(count: AgentProtocol.keyLength)
            let unlock = AgentUnlock(path: "/v", epoch: 1, key: key, idle: idle, maximumAge: nil)
            return try FrameTests.bytes(of: .unlock(unlock))
        }
        #expect(try body(.seconds(-1)) == body(.zero))
        #expect(try body(.seconds(Int64.max)) == body(.nanoseconds(Int64.max)))
        var negative = try body(.zero)
        negative[negative.count - 3] = 0x80
        #expect(FrameTests.refusal(ofRequest: negative) == .malformed)
    }

    @Test("A count of steps beyond the limit is refused before the steps are read")
    func steps() throws {
        let count = AgentProtocol.maximumSteps
        let steps = [UInt8](repeating: 0, count: 0)
        func body(_ count: Int) -> [UInt8] {
            let step: [UInt8] = [4] + Self.text([0x61])
            return [8] + Self.text([0x2F]) + [0] + UInt32(count).littleEndianBytes
                + (0..<count).reduce(into: steps) { bytes, _ in bytes += step }
        }
        #expect(FrameTests.refusal(ofRequest: body(count)) == nil)
        #expect(FrameTests.refusal(ofRequest: body(count + 1)) == .malformed)
    }

    @Test("What no frame holds is not written")
    func unwritable() throws {
        func failure(_ request: consuming AgentRequest) -> AgentProtocolError? {
            do throws(AgentProtocolError) {
                _ = try request.encode()
                return nil
            } catch { return error }
        }
        let long = String(repeating: "n", count: AgentProtocol.maximumName + 1)
        let undo = [AgentStep](repeating: .undo(name: "a"), count: AgentProtocol.maximumSteps + 1)
        let results = [
            failure(.value(path: "/", name: long)), failure(.epoch(path: "/\(long)")),
            failure(.change(AgentChange(path: "/", expected: nil, steps: undo, values: try GuardedArena()))),
        ]
        #expect(results == [.tooLarge, .tooLarge, .tooLarge])
    }

    @Test("The largest value of a vault fits into a frame, and nothing larger than a frame is written")
    func largest() throws {
        let largest = try AgentReply.value(generation: 1, list: GuardedBuffer(count: Limits.plaintext.upperBound))
            .encode()
        #expect(largest.count == Limits.plaintext.upperBound + 4 + 1 + 8 + 1 + 4)
        #expect(throws: AgentProtocolError.tooLarge) {
            _ = try AgentReply.value(generation: 1, list: GuardedBuffer(count: AgentProtocol.maximumFrame)).encode()
        }
    }
}
