import Synchronization
import TestSupport
import Testing
import VaultFile

/// Many writers at once, each reading, adding one record and saving: every record is there in the end.
@Suite struct ConcurrentSaveTests {
    /// Adds records of two bytes: the writer and its count.
    private static func append(_ count: Int, as writer: UInt8, to store: VaultStore) throws {
        for number in 0..<count {
            let transaction = try store.begin(.update, timeout: .seconds(60))
            let reader = try transaction.open()
            let before = try reader.readAll()
            _ = try transaction.replace(with: before.bytes.array + [writer, UInt8(number)], expecting: before.identity)
        }
    }

    private static func records(_ bytes: [UInt8]) -> Set<[UInt8]> {
        Set(stride(from: 0, to: bytes.count - 1, by: 2).map { Array(bytes[$0..<$0 + 2]) })
    }

    @Test("threads")
    func threads() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [])
        try inThreads(8) { writer in try Self.append(12, as: UInt8(writer), to: scratch.store()) }
        let bytes = try scratch.store().array()
        #expect(bytes.count == 2 * 8 * 12)
        #expect(Self.records(bytes).count == 8 * 12)
    }

    @Test("processes")
    func processes() async throws {
        let scratch = try Scratch()
        try scratch.put("vault", [])
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = scratch("vault") as String, writer = writer as Int] in
                        try Self.append(25, as: UInt8(writer), to: VaultStore(path: path))
                    }
                }
            }
        }
        let bytes = try scratch.store().array()
        #expect(bytes.count == 2 * 4 * 25)
        #expect(Self.records(bytes).count == 4 * 25)
        #expect(scratch.names == [".vault.lock", "vault"])
    }

    @Test("of several creations at once one succeeds")
    func creations() throws {
        let scratch = try Scratch()
        let (made, refused) = (Counter(), Counter())
        try inThreads(8) { writer in
            let bytes = [UInt8](repeating: UInt8(writer), count: 1000)
            let error = failure { () throws(StorageError) in try scratch.store().save(bytes, .creation) }
            if error == nil { _ = made.next() }
            if error?.kind == .alreadyExists { _ = refused.next() }
        }
        #expect(made.next() == 2)
        #expect(refused.next() == 8)
        #expect(Set(scratch.get("vault") ?? []).count == 1)
    }

    @Test("readers see whole files while others save")
    func readers() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [UInt8](repeating: 0, count: 100_000))
        let ended = Ended()
        try inThreads(3) { role in
            if role == 0 {
                defer { ended.set() }
                for round in 0..<20 {
                    _ = try scratch.store().save([UInt8](repeating: UInt8(round), count: 100_000 + round))
                }
                return
            }
            // Until the writer has ended, so that reads fall into every moment of its saves.
            var reads = 0
            while !ended.isSet || reads == 0 {
                let bytes = try scratch.store().array()
                guard let first = bytes.first, bytes.allSatisfy({ $0 == first }), bytes.count == 100_000 + Int(first)
                else { throw TornRead(count: bytes.count) }
                reads += 1
            }
        }
    }

    private struct TornRead: Error {
        let count: Int
    }

    private final class Ended: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }
}
