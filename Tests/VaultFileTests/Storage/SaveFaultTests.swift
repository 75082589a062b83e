import Glibc
import TestSupport
import Testing
import VaultFile

/// A fault at every single system call of a save: what is there afterwards is the old file or the new one.
@Suite struct SaveFaultTests {
    private static let old = [UInt8](repeating: 0x11, count: 1000)
    /// Long enough for two rounds of reading back.
    private static let new = [UInt8](repeating: 0x22, count: 300_000)
    private static let later = [UInt8](repeating: 0x33, count: 10)

    /// One save with one fault, and what came of it.
    private struct Run {
        let scratch: Scratch
        let system: FaultingSystemCalls
        let error: StorageError?

        init(_ fault: FaultingSystemCalls.Fault, at index: Int, _ purpose: VaultTransaction.Purpose) throws {
            let scratch = try Scratch()
            if purpose == .update { try scratch.put("vault", SaveFaultTests.old, mode: 0o640) }
            let system = FaultingSystemCalls(fault, at: index)
            error = failure { () throws(StorageError) in
                let transaction = try scratch.store("vault", system).begin(purpose, timeout: .milliseconds(50))
                if purpose == .update { _ = try transaction.open().readSuffix(32) }
                return try transaction.replace(with: SaveFaultTests.new)
            }
            system.reap()
            (self.scratch, self.system) = (scratch, system)
        }

        var content: [UInt8]? { scratch.get("vault") }
        var leftovers: [String] { scratch.names.filter { $0.contains(".tmp-") } }
    }

    /// Moves the fault through the whole save; the number of its calls comes back.
    private func forEachCall(
        _ fault: FaultingSystemCalls.Fault, _ purpose: VaultTransaction.Purpose, _ check: (Run, String) throws -> Void
    ) throws {
        var index = 1
        while true {
            let run = try Run(fault, at: index, purpose)
            let log = run.system.log
            let place = "call \(index), \(index <= log.count ? "\(log[index - 1])" : "none")"
            let old = purpose == .update ? Self.old : nil
            #expect(run.content == old || run.content == Self.new, "\(place)")
            if run.error == nil { #expect(run.content == Self.new, "\(place)") }
            if !run.system.fired { break }
            try check(run, place)
            // Whatever happened, the next save works and leaves the vault and the lock file alone behind.
            let next: VaultTransaction.Purpose = run.content == nil ? .creation : .update
            _ = try run.scratch.store().save(Self.later, next)
            #expect(run.content == Self.later, "\(place)")
            #expect(run.scratch.names == [".vault.lock", "vault"], "\(place)")
            index += 1
        }
        #expect(index > 20)
    }

    @Test(
        "an error at any call leaves the old file or the new one and no temporary file",
        arguments: [EIO, ENOSPC, EDQUOT], [VaultTransaction.Purpose.update, .creation])
    func errors(code: Int32, purpose: VaultTransaction.Purpose) throws {
        try forEachCall(.fails(code), purpose) { run, place in
            #expect(run.leftovers == [], "\(place)")
            guard let error = run.error else { return }
            #expect(error.errno == code, "\(place)")
            let isNew = run.content == Self.new
            #expect(isNew == (error.kind == .renamedButNotSynced), "\(place)")
        }
    }

    @Test("a signal at any call but fsync changes nothing", arguments: [VaultTransaction.Purpose.update, .creation])
    func interruptions(purpose: VaultTransaction.Purpose) throws {
        var index = 0
        try forEachCall(.fails(EINTR), purpose) { run, place in
            index += 1
            let wasSynchronizing = run.system.log[index - 1] == .synchronize
            #expect((run.error == nil) != wasSynchronizing, "\(place)")
        }
    }

    @Test("short reads and writes at any call change nothing", arguments: [VaultTransaction.Purpose.update, .creation])
    func shortTransfers(purpose: VaultTransaction.Purpose) throws {
        try forEachCall(.short, purpose) { run, place in #expect(run.error == nil, "\(place)") }
    }

    @Test(
        "a kill at any call leaves the old file or the new one",
        arguments: [VaultTransaction.Purpose.update, .creation])
    func crashes(purpose: VaultTransaction.Purpose) throws {
        var contents: [Bool] = []
        try forEachCall(.crash, purpose) { run, _ in contents.append(run.content == Self.new) }
        // Old up to the rename, new from there on: there is one moment of change.
        #expect(contents.first == false && contents.last == true)
        #expect(contents == contents.sorted { !$0 && $1 })
    }

    @Test("fsync is not tried again after it failed", arguments: [EIO, EINTR, ENOSPC])
    func noSecondSynchronize(code: Int32) throws {
        let run = try Run(.fails(code), at: indexOfFirstSynchronize(), .update)
        #expect(run.error?.step == .syncTemporary)
        #expect(run.content == Self.old)
        #expect(run.system.log.filter { $0 == .synchronize }.count == 1)
    }

    private func indexOfFirstSynchronize() throws -> Int {
        let log = try Run(.short, at: .max, .update).system.log
        return try #require(log.firstIndex(of: .synchronize)) + 1
    }

    @Test("the bytes are on the disk before the rename, and the name before the answer")
    func order() throws {
        let log = try Run(.short, at: .max, .update).system.log
        let steps = log.filter { [.write, .synchronize, .read, .rename].contains($0) }
        let (rename, lastWrite) = (steps.firstIndex(of: .rename), steps.lastIndex(of: .write))
        let at = try #require(rename)
        let before = try #require(lastWrite)
        try #require(before < at)
        #expect(steps[before..<at].contains(.synchronize))
        #expect(steps[..<at].last == .read)
        #expect(steps[at...].elementsEqual([.rename, .synchronize]))
    }

    @Test("a failure to bring the directory to the disk says that the new file is in place")
    func directoryNotSynchronized() throws {
        let scratch = try Scratch()
        try scratch.put("vault", Self.old)
        let system = FaultingSystemCalls(.fails(EIO), at: 2, of: [.synchronize])
        let error = failure { () throws(StorageError) in try scratch.store("vault", system).save(Self.new) }
        #expect(error == StorageError(.syncDirectory, Errno(code: EIO), .renamedButNotSynced))
        #expect(scratch.get("vault") == Self.new)
    }

    @Test("a file system without fsync is brought to the disk as a whole", arguments: [EINVAL, EOPNOTSUPP, ENOSYS])
    func noSynchronize(code: Int32) throws {
        let scratch = try Scratch()
        try scratch.put("vault", Self.old)
        let system = FaultingSystemCalls(.fails(code), of: [.synchronize])
        let report = try scratch.store("vault", system).save(Self.new)
        #expect(report.warnings == [.syncedEverything])
        #expect(system.log.filter { $0 == .synchronizeFileSystem }.count == 2)
        let poorer = FaultingSystemCalls(.fails(code), of: [.synchronize, .synchronizeFileSystem])
        #expect(try scratch.store("vault", poorer).save(Self.new).warnings == [.syncedEverything])
        #expect(poorer.log.filter { $0 == .synchronizeAll }.count == 2)
    }

    @Test("a disk that gives back other bytes than it took is found out before the rename")
    func readBack() throws {
        let scratch = try Scratch()
        try scratch.put("vault", Self.old)
        for index in 1...2 {
            let system = FaultingSystemCalls(.flips, at: index, of: [.read])
            let error = failure { () throws(StorageError) in try scratch.store("vault", system).save(Self.new) }
            #expect(error == StorageError(.verifyTemporary, .inputOutput, .verificationFailed))
            #expect(scratch.get("vault") == Self.old)
        }
    }

    @Test("a rename whose answer got lost counts as done", arguments: [VaultTransaction.Purpose.update, .creation])
    func lostAnswer(purpose: VaultTransaction.Purpose) throws {
        let scratch = try Scratch()
        if purpose == .update { try scratch.put("vault", Self.old) }
        let system = FaultingSystemCalls(.failsAfterwards(EIO), of: [.rename, .renameToFreeName])
        let report = try scratch.store("vault", system).save(Self.new, purpose)
        #expect(system.fired)
        #expect(report.identity?.size == Self.new.count)
        #expect(scratch.get("vault") == Self.new)
    }
}
