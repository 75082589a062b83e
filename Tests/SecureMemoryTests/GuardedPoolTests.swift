import Glibc
import SecureMemory
import TestSupport
import Testing

@Suite struct GuardedPoolTests {
    private func bytes(_ count: Int, of byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func content(_ cell: GuardedCell) -> [UInt8] {
        cell.withBytes { bytes in (0..<bytes.byteCount).map { bytes[$0] } }
    }

    @Test("small secrets share pages, each is wiped when it goes, and its room is used again")
    func sharing() throws {
        let pool = GuardedPool()
        #expect(pool.protection == nil)
        let first = try pool.store(bytes(40, of: 1).rawSpan)
        var second: GuardedCell? = try pool.store(bytes(100, of: 2).rawSpan)
        let third = try pool.store(bytes(0, of: 3).rawSpan)
        #expect(pool.slabCount == 1)
        #expect(pool.nonZeroCount == 140)
        #expect(second.map(content) == bytes(100, of: 2))
        #expect(content(third) == [])

        second = nil
        #expect(pool.nonZeroCount == 40)
        let fourth = try pool.store(bytes(112, of: 4).rawSpan)
        #expect(pool.slabCount == 1)
        #expect(content(first) == bytes(40, of: 1))
        #expect(content(fourth) == bytes(112, of: 4))
        #expect(pool.protection?.isWipedOnFork == true)
    }

    @Test("pages that hold nothing any more are given back, also when their secrets go in another order")
    func givingBack() throws {
        let pool = GuardedPool()
        var cells = try (0..<300).map { try pool.store(bytes(120, of: UInt8(1 + $0 % 255)).rawSpan) }
        #expect(pool.slabCount == 4)
        for (index, cell) in cells.enumerated() { #expect(content(cell) == bytes(120, of: UInt8(1 + index % 255))) }
        cells.shuffle()
        cells.removeLast(150)
        #expect(pool.nonZeroCount == 120 * 150)
        cells.append(contentsOf: try (0..<150).map { _ in try pool.store(bytes(120, of: 9).rawSpan) })
        #expect(pool.slabCount <= 4)
        cells = []
        #expect(pool.slabCount == 0)
        #expect(pool.protection == nil)
    }

    @Test("a secret of any size is held", arguments: [1, 4_080, 4_081, 16_368, 16_369, 1 << 20])
    func sizes(count: Int) throws {
        let pool = GuardedPool()
        for byte in UInt8(1)...4 {
            let cell = try pool.store(bytes(count, of: byte).rawSpan)
            #expect(content(cell) == bytes(count, of: byte))
            #expect(pool.nonZeroCount == count)
        }
        #expect(pool.slabCount == 0)
    }

    @Test("300 tokens of 120 bytes are locked into memory where 64 KiB may be")
    func smallLimit() throws {
        // In a child, which is not root there: root may lock what it likes.
        let status = try Child.status {
            var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
            guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 1 }
            if geteuid() == 0, setuid(65_534) != 0 { return 2 }
            let pool = GuardedPool()
            let token = [UInt8](repeating: 7, count: 120)
            var cells: [GuardedCell] = []
            while cells.count < 300 {
                guard let cell = try? pool.store(token.rawSpan) else { return 3 }
                cells.append(cell)
            }
            guard pool.protection?.isLocked == true else { return 4 }
            while cells.count < 600 {
                guard let cell = try? pool.store(token.rawSpan) else { return 5 }
                cells.append(cell)
            }
            return pool.protection?.isLocked == false ? 0 : 6
        }
        #expect(status == 0)
    }

    @Test("a forked child reads zeros, and leaves the pages alone")
    func fork() throws {
        let pool = GuardedPool()
        var cell: GuardedCell? = try pool.store(bytes(40, of: 1).rawSpan)
        let status = try Child.status {
            guard let held = cell, held.isForeign else { return 1 }
            guard held.withBytes({ bytes in (0..<bytes.byteCount).allSatisfy { bytes[$0] == 0 } }) else { return 2 }
            cell = nil
            return 0
        }
        #expect(status == 0)
        #expect(cell.map(content) == bytes(40, of: 1))
    }

    @Test("memory that the system does not give is an error, and leaves nothing")
    func noMemory() throws {
        let status = try Child.status {
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return 1 }
            let pool = GuardedPool()
            let byte: [UInt8] = [1]
            guard (try? pool.store(byte.rawSpan)) == nil else { return 2 }
            return pool.slabCount == 0 ? 0 : 3
        }
        #expect(status == 0)
    }
}
