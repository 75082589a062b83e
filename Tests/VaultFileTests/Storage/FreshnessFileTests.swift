import Foundation
import Glibc
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// The file of the freshness state, whatever becomes of it.
@Suite struct FreshnessFileTests {
    private static let sighting = FreshnessStateTests.sighting
    private static let path = FreshnessStateTests.path

    private static func known(_ generation: UInt64) -> FreshnessState {
        var state = FreshnessState()
        state.record(sighting(generation - 1, 1, 0, 7), at: path)
        state.record(sighting(generation, 1, 0, 8), at: [0xFF, 0xC3, 0x28])
        return state
    }

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
        try store.update { state in
            #expect(state == Self.known(5))
            state.record(Self.sighting(6, 1, 0, 8), at: nil)
        }
        #expect(store.read().newestGeneration(of: Self.sighting(1, 1, 0, 0).vaultID) == 6)
        #expect(scratch.mode("state") == 0o700 && scratch.mode("state/coffer") == 0o700)
        #expect(scratch.mode("state/coffer/freshness") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("state/coffer")).sorted()
            == [".freshness.lock", "freshness"])
    }

    @Test("nothing is written where nothing changed")
    func unchanged() throws {
        let scratch = try Scratch()
        let store = Self.store(scratch)
        try store.update { $0 = Self.known(5) }
        let before = scratch.status("state/coffer/freshness").st_ino
        try store.update { $0.record(Self.sighting(5, 1, 0, 8), at: Self.path) }
        #expect(scratch.status("state/coffer/freshness").st_ino == before)
    }

    @Test("every truncation and every flipped bit is state that is lost, and written anew")
    func damage() throws {
        let bytes = try Self.known(5).file()
        #expect(FreshnessState(file: bytes.rawSpan) == Self.known(5))
        for length in 0..<bytes.count { #expect(FreshnessState(file: Array(bytes[..<length]).rawSpan) == nil) }
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(FreshnessState(file: flipped.rawSpan) == nil, "bit \(bit)")
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
        let digest = [UInt8](repeating: 1, count: 32)
        let id = [UInt8](repeating: 1, count: 16)
        func list(
            version: Int64 = 1, keys: Int = 1, generation: Int64 = 1, id: [UInt8] = id, commitment: [UInt8] = digest,
            replaced: [[UInt8]] = [], vaults: Int = 1, path: [UInt8] = [0x61], paths: Int = 1
        ) throws -> [UInt8] {
            var builder = try PropertyListBuilder()
            func key(_ name: String) throws { try builder.key(utf8: Array(name.utf8).rawSpan) }
            try builder.beginDictionary()
            try key("version")
            try builder.integer(version)
            if keys > 1 {
                try key("more")
                try builder.integer(1)
            }
            try key("vaults")
            try builder.beginArray()
            for _ in 0..<vaults {
                try builder.beginDictionary()
                try key("id")
                try builder.data(id.rawSpan)
                try key("generation")
                try builder.integer(generation)
                try key("check")
                try builder.data(digest.rawSpan)
                try key("commitment")
                try builder.data(commitment.rawSpan)
                try key("replaced")
                try builder.beginArray()
                for commitment in replaced { try builder.data(commitment.rawSpan) }
                try builder.endArray()
                try builder.endDictionary()
            }
            try builder.endArray()
            try key("paths")
            try builder.beginArray()
            for _ in 0..<paths {
                try builder.beginDictionary()
                try key("id")
                try builder.data(id.rawSpan)
                try key("path")
                try builder.data(path.rawSpan)
                try builder.endDictionary()
            }
            try builder.endArray()
            try builder.endDictionary()
            let list = try builder.finish()
            return unsafe list.bytes.withUnsafeBytes { unsafe Array($0) }
        }
        let others = (0..<65).map { [UInt8](repeating: 100 + UInt8($0), count: 32) }
        #expect(try FreshnessState(list: list().rawSpan) != nil)
        #expect(try FreshnessState(list: list(replaced: Array(others.dropLast())).rawSpan) != nil)
        let refused = try [
            list(version: 2), list(keys: 2), list(generation: 0), list(generation: -1), list(id: digest),
            list(commitment: id), list(replaced: [digest]), list(replaced: [id]), list(replaced: others),
            list(replaced: [others[0], others[0]]), list(vaults: 2), list(path: []), list(paths: 2),
            list(path: [UInt8](repeating: 0x61, count: 4_097)),
        ]
        for list in refused { #expect(FreshnessState(list: list.rawSpan) == nil) }
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
        #expect(failure { () throws(StorageError) in try unreadable.update { $0 = Self.known(6) } }?.errno == EIO)
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

    @Test("threads that record many vaults at once lose none")
    func threads() throws {
        let scratch = try Scratch()
        try inThreads(8) { thread in
            for round in 1...10 {
                try Self.store(scratch).update { state in
                    state.record(Self.sighting(UInt64(round), UInt8(thread), 0, 1), at: [UInt8(thread + 1)])
                }
            }
        }
        let state = Self.store(scratch).read()
        #expect(state.counts == (8, 8))
        for thread in 0..<8 {
            #expect(state.newestGeneration(of: Self.sighting(1, UInt8(thread), 0, 1).vaultID) == 10)
        }
    }
}
