import Foundation
import Glibc
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// The file of the freshness state, whatever becomes of it.
@Suite struct FreshnessFileTests {
    private static let path = FreshnessStateTests.path

    private static func known(_ generation: UInt64) -> FreshnessState {
        var state = FreshnessState()
        state.record(FreshnessStateTests.sighting(generation - 1, of: 1, key: 7), at: path)
        state.record(FreshnessStateTests.sighting(generation, of: 1, key: 8), at: [0xFF, 0xC3, 0x28])
        return state
    }

    private static func state(file: [UInt8]) -> FreshnessState? { FreshnessState(file: file.rawSpan) }

    private static func state(list: [UInt8]) -> FreshnessState? { FreshnessState(list: list.rawSpan) }

    private static func store(_ scratch: Scratch, _ system: any SystemCalls = LinuxSystemCalls()) -> FreshnessStore {
        FreshnessStore(stateDirectory: scratch("state"), system: system)
    }

    @Test("what is written is read again, in a file and directories of the user alone")
    func roundTrip() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        #expect(store.read() == FreshnessState())
        #expect(scratch.names == [])
        try store.update { $0 = Self.known(5) }
        #expect(store.read() == Self.known(5))
        // A wider mode does not outlast the next update.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: scratch("state/coffer/freshness"))
        try store.update { state in
            #expect(state == Self.known(5))
            state.record(FreshnessStateTests.sighting(6, of: 1, key: 8), at: nil)
        }
        #expect(store.read().newestGeneration(of: FreshnessStateTests.sighting(1, of: 1, key: 0).vaultID) == 6)
        #expect(scratch.mode("state") == 0o700 && scratch.mode("state/coffer") == 0o700)
        #expect(scratch.mode("state/coffer/freshness") == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch("state/coffer")).sorted()
                == [".freshness.lock", "freshness"])
    }

    @Test("nothing is written where nothing changed")
    func unchanged() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        try store.update { $0 = Self.known(5) }
        let before = scratch.status("state/coffer/freshness").st_ino
        try store.update { $0.record(FreshnessStateTests.sighting(5, of: 1, key: 8), at: Self.path) }
        #expect(scratch.status("state/coffer/freshness").st_ino == before)
    }

    @Test("every truncation and every flipped bit is state that is lost, and written anew")
    func damage() throws {
        let bytes = try Self.known(5).file()
        #expect(Self.state(file: bytes) == Self.known(5))
        for length in 0..<bytes.count { #expect(Self.state(file: Array(bytes[..<length])) == nil) }
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.state(file: flipped) == nil, "bit \(bit)")
        }
        let scratch = try Scratch()
        let store = Self.store(scratch)
        for garbage in [[], Array("bplist00".utf8), Array(bytes.dropLast()), bytes + [0]] {
            try store.update { $0 = Self.known(5) }
            try scratch.put("state/coffer/freshness", garbage)
            #expect(store.read() == FreshnessState())
            try store.update { state in
                #expect(state == FreshnessState())
                state = Self.known(9)
            }
            #expect(store.read() == Self.known(9))
        }
    }

    @Test("a file beyond its bound is not read")
    func tooLarge() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        try store.update { $0 = Self.known(5) }
        #expect(unsafe truncate(scratch("state/coffer/freshness"), 1 << 40) == 0)
        #expect(store.read() == FreshnessState())
        try store.update { $0 = Self.known(6) }
        #expect(store.read() == Self.known(6))
    }

    @Test("a whole list that says something else is no state")
    func otherLists() throws {
        let (digest, id) = (FreshnessList.digest, FreshnessList.id)
        func list(_ change: (inout FreshnessList) -> Void = { _ in }) throws -> [UInt8] {
            var list = FreshnessList()
            change(&list)
            return try list.bytes()
        }
        let others = (0..<65).map { [UInt8](repeating: 100 + UInt8($0), count: 32) }
        #expect(try Self.state(list: list()) != nil)
        #expect(try Self.state(list: list { $0.replaced = Array(others.dropLast()) }) != nil)
        let refused = try [
            list { $0.version = 2 }, list { $0.hasMoreKeys = true }, list { $0.generation = 0 },
            list { $0.generation = -1 }, list { $0.ids = [digest] }, list { $0.commitment = id },
            list { $0.replaced = [digest] }, list { $0.replaced = [id] }, list { $0.replaced = others },
            list { $0.replaced = [others[0], others[0]] }, list { $0.ids = [id, id] }, list { $0.paths = [[]] },
            list { $0.paths = [id, id] }, list { $0.paths = [[UInt8](repeating: 0x61, count: 4_097)] },
            list { $0.pathID = digest },
        ]
        for list in refused { #expect(Self.state(list: list) == nil) }
    }

    @Test("a link is followed and stays one; what is no file of this user says nothing and is left alone")
    func oddFiles() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        try store.update { $0 = Self.known(5) }
        let file = "state/coffer/freshness"
        try FileManager.default.moveItem(atPath: scratch(file), toPath: scratch("real"))
        try scratch.link(file, to: scratch("real"))
        #expect(store.read() == Self.known(5))
        try store.update { $0 = Self.known(6) }
        #expect(store.read() == Self.known(6) && scratch.target(file) == scratch("real"))
        try scratch.put("other", try Self.known(7).file())
        try FileManager.default.removeItem(atPath: scratch("real"))
        #expect(store.read() == FreshnessState())
        // A link to nothing: the file is made where it points.
        try store.update { $0 = Self.known(7) }
        #expect(scratch.get("real") == scratch.get("other"))

        try FileManager.default.removeItem(atPath: scratch(file))
        #expect(unsafe mkfifo(scratch(file), 0o600) == 0)
        #expect(store.read() == FreshnessState())
        #expect(failure { () throws(StorageError) in try store.update { $0 = Self.known(8) } } != nil)
        try FileManager.default.removeItem(atPath: scratch(file))
        try FileManager.default.createDirectory(atPath: scratch(file), withIntermediateDirectories: false)
        #expect(store.read() == FreshnessState())
        #expect(failure { () throws(StorageError) in try store.update { $0 = Self.known(8) } } != nil)
        try FileManager.default.removeItem(atPath: scratch(file))

        try store.update { $0 = Self.known(8) }
        let foreign = Self.store(scratch, FaultingSystemCalls(user: geteuid() + 1))
        #expect(foreign.read() == FreshnessState())
        #expect(failure { () throws(StorageError) in try foreign.update { $0 = Self.known(9) } } != nil)
        #expect(store.read() == Self.known(8))
    }

    @Test("where no directory can be made or written, and on a full disk, it is told and the old state stands")
    func unwritable() throws {
        let scratch = try Scratch()
        try scratch.put("state", [])
        let blocked = failure { () throws(StorageError) in try Self.store(scratch).update { $0 = Self.known(5) } }
        #expect(blocked?.errno == ENOTDIR)
        #expect(Self.store(scratch).read() == FreshnessState())
        try FileManager.default.removeItem(atPath: scratch("state"))
        try Self.store(scratch).update { $0 = Self.known(5) }
        for call in [FaultingSystemCalls.Call.write, .synchronize, .rename, .tryLock] {
            let full = Self.store(scratch, FaultingSystemCalls(.fails(ENOSPC), at: 1, of: [call]))
            let error = failure { () throws(StorageError) in try full.update { $0 = Self.known(6) } }
            #expect(error?.errno == ENOSPC, "\(call)")
            #expect(Self.store(scratch).read() == Self.known(5))
        }
        // A file that cannot be read now may be read another time: it is not overwritten.
        let unreadable = Self.store(scratch, FaultingSystemCalls(.fails(EIO), of: [.read]))
        #expect(unreadable.read() == FreshnessState())
        let once = Self.store(scratch, FaultingSystemCalls(.fails(EIO), at: 1, of: [.read]))
        #expect(failure { () throws(StorageError) in try once.update { $0 = Self.known(6) } }?.errno == EIO)
        #expect(Self.store(scratch).read() == Self.known(5))
        // In place, but perhaps not for ever: lost state is no failure.
        let unsynced = Self.store(scratch, FaultingSystemCalls(.fails(EIO), at: 2, of: [.synchronize]))
        try unsynced.update { $0 = Self.known(6) }
        #expect(Self.store(scratch).read() == Self.known(6))
        if geteuid() != 0 {
            unsafe chmod(scratch("state/coffer"), 0o500)
            defer { unsafe chmod(scratch("state/coffer"), 0o700) }
            #expect(failure { () throws(StorageError) in try Self.store(scratch).update { $0 = Self.known(7) } } != nil)
            #expect(Self.store(scratch).read() == Self.known(6))
        }
    }

    @Test("a link that leads to a vault does not lose it")
    func vault() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        try store.update { $0 = Self.known(5) }
        try FileManager.default.removeItem(atPath: scratch("state/coffer/freshness"))
        try scratch.put("vault", VaultHeader.magic + [1, 0])
        try FileManager.default.createSymbolicLink(
            atPath: scratch("state/coffer/freshness"), withDestinationPath: scratch("vault"))
        #expect(store.read() == FreshnessState())
        #expect(failure { () throws(StorageError) in try store.update { $0 = Self.known(6) } }?.errno == EEXIST)
        #expect(try scratch.store().array() == VaultHeader.magic + [1, 0])
    }

    @Test("threads that record many vaults at once lose none")
    func threads() throws {
        let scratch = try Scratch()
        try inThreads(8) { thread in
            for round in 1...10 {
                try Self.store(scratch).update { state in
                    state.record(
                        FreshnessStateTests.sighting(UInt64(round), of: UInt8(thread), key: 1), at: [UInt8(thread + 1)])
                }
            }
        }
        let state = Self.store(scratch).read()
        #expect(state.counts == (8, 8))
        for thread in 0..<8 {
            #expect(
                state.newestGeneration(of: FreshnessStateTests.sighting(1, of: UInt8(thread), key: 1).vaultID) == 10)
        }
    }
}
