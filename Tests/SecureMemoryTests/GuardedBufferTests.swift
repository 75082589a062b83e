import CSystem
import Glibc
import SecureMemory
import TestSupport
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

    @Test("a page is used again: writable, with zeros, and never by a child of a fork", arguments: [1, 100, 4_080])
    func reuse(count: Int) async throws {
        // In a process of its own nobody else takes the page.
        await #expect(processExitsWith: .success) { [count] in
            let page = UInt(getpagesize())
            func use() throws -> (page: UInt, isZero: Bool) {
                var buffer = try GuardedBuffer(count: count)
                let isZero = buffer.bytes.array.allSatisfy { $0 == 0 }
                for offset in 0..<count { buffer.store(0xA5, at: offset) }
                let address = unsafe buffer.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                buffer.protect(.none)
                return (address / page, isZero)
            }
            let first = try use()
            let filled = try GuardedBuffer(copying: [UInt8](repeating: 0x5A, count: 4_080).rawSpan)
            let isSamePage =
                unsafe filled.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) / page } == first.page
            #expect(isSamePage)
            let other = try use()
            #expect(other.page != first.page && other.isZero)
            // The page of the second is spare now; a child starts without.
            let status = try Child.status {
                guard let inChild = try? use() else { return 1 }
                return inChild.page != other.page && inChild.isZero ? 0 : 2
            }
            #expect(status == 0)
            let again = try use()
            #expect(again.page == other.page && again.isZero)
        }
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
