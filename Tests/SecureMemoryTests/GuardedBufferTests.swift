import CSystem
import Glibc
import SecureMemory
import Testing

@Suite struct GuardedBufferTests {
    @Test("new bytes are zeros, locked and wiped on fork")
    func fresh() throws {
        let buffer = try GuardedBuffer(count: 40)
        let values = (0..<40).map { buffer.bytes[$0] }
        #expect(values == Array(repeating: 0, count: 40))
        let facts = (wiped: buffer.isWipedOnFork, foreign: buffer.isForeign)
        #expect(facts == (true, false))
    }

    @Test("a size out of range is an error, not a trap", arguments: [-1, 1 << 31, Int.max])
    func sizes(count: Int) {
        #expect(throws: SecureMemoryError.outOfMemory) { _ = try GuardedBuffer(count: count) }
    }

    @Test("a buffer takes the pages of its bytes and canary, and one more")
    func footprint() {
        let page = Int(getpagesize())
        #expect(GuardedBuffer.footprint(of: 0) == 2 * page)
        #expect(GuardedBuffer.footprint(of: page - 16) == 2 * page)
        #expect(GuardedBuffer.footprint(of: page - 15) == 3 * page)
        #expect(GuardedBuffer.footprint(of: 10 * page) == 12 * page)
    }

    @Test("reading past the end faults")
    func guardPage() async {
        await #expect(processExitsWith: .failure) {
            let buffer = try GuardedBuffer(count: 16)
            let value = unsafe buffer.withUnsafeBytes {
                unsafe $0.baseAddress?.load(fromByteOffset: 16, as: UInt8.self)
            }
            print(value as Any)
        }
    }

    @Test("bytes without access fault, and a window opens them")
    func window() async throws {
        var buffer = try GuardedBuffer(randomCount: 32)
        let first = buffer.bytes[0]
        buffer.protect(.none)
        let seen = buffer.withReadAccess { $0.bytes[0] }
        let access = buffer.access
        #expect(seen == first)
        #expect(access == .none)
        await #expect(processExitsWith: .failure) {
            var buffer = try GuardedBuffer(randomCount: 32)
            buffer.protect(.none)
            print(buffer.bytes[0])
        }
        await #expect(processExitsWith: .failure) {
            var buffer = try GuardedBuffer(randomCount: 32)
            buffer.protect(.read)
            buffer.store(1, at: 0)
        }
    }
}
