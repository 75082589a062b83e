import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

@Suite struct FileLockTests {
    @Test("a second transaction waits, gives up after its time, and works once the first has ended")
    func exclusion() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let first = try scratch.store().begin(.update)
        let clock = ContinuousClock()
        let start = clock.now
        let error = failure { () throws(StorageError) in
            try scratch.store().begin(.update, timeout: .milliseconds(80))
        }
        #expect(error == StorageError(.lock, .wouldBlock, .lockHeld))
        #expect(clock.now - start >= .milliseconds(80))
        _ = consume first
        #expect(failure { () throws(StorageError) in try scratch.store().save([2]) } == nil)
    }

    @Test("reading does not wait for the lock")
    func reading() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let held = try scratch.store().begin(.update)
        #expect(try scratch.store().array() == [1])
        _ = consume held
    }

    @Test("a lock held by another program counts, and ends with that program")
    func otherProgram() async throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        _ = try scratch.store().save([2])
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = [
            "python3", "-c",
            "import fcntl,sys,time; f=open(sys.argv[1],'r+'); fcntl.flock(f,fcntl.LOCK_EX); print(1,flush=True); time.sleep(60)",
            scratch(".vault.lock"),
        ]
        let output = Pipe()
        holder.standardOutput = output
        try holder.run()
        _ = output.fileHandleForReading.availableData
        let held = failure { () throws(StorageError) in
            try scratch.store().begin(.update, timeout: .milliseconds(20))
        }
        #expect(held?.kind == .lockHeld)
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        #expect(failure { () throws(StorageError) in try scratch.store().save([3]) } == nil)
    }

    @Test("a child that was forked meanwhile neither keeps the lock nor gives it back")
    func forked() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        var held: VaultTransaction? = try scratch.store().begin(.update)
        let ended = try Child.status {
            _ = held.take()
            return 0
        }
        #expect(ended == 0)
        let error = failure { () throws(StorageError) in
            try scratch.store().begin(.update, timeout: .milliseconds(20))
        }
        #expect(error?.kind == .lockHeld)
        let child = try Child.start { pause() }
        _ = held.take()
        #expect(
            failure { () throws(StorageError) in
                try scratch.store().begin(.update, timeout: .milliseconds(20))
            } == nil)
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
    }

    @Test("the lock file stays, the same one, with nothing in it")
    func stays() throws {
        let scratch = try Scratch()
        _ = try scratch.store().save([1], .creation)
        let inode = scratch.status(".vault.lock").st_ino
        // Held open, so that a new file cannot get the same number.
        let held = FileHandle(forReadingAtPath: scratch(".vault.lock"))
        _ = try scratch.store().save([2])
        #expect(scratch.status(".vault.lock").st_ino == inode)
        try held?.close()
        #expect(scratch.get(".vault.lock") == [])
    }

    @Test("a lock file that others may open is closed to them")
    func narrowed() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try scratch.put(".vault.lock", [], mode: 0o666)
        _ = try scratch.store().save([2])
        #expect(scratch.mode(".vault.lock") == 0o600)
    }

    @Test("a lock file that is a link or a pipe is refused")
    func odd() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try scratch.put("victim", [2], mode: 0o644)
        try scratch.link(".vault.lock", to: "victim")
        #expect(
            failure { () throws(StorageError) in try scratch.store().save([3]) }
                == StorageError(.openLockFile, .linkLoop))
        #expect(scratch.mode("victim") == 0o644)
        try FileManager.default.removeItem(atPath: scratch(".vault.lock"))
        try #require(unsafe mkfifo(scratch(".vault.lock"), 0o600) == 0)
        #expect(failure { () throws(StorageError) in try scratch.store().save([3]) }?.kind == .notARegularFile)
        #expect(scratch.get("vault") == [1])
    }

    @Test("a lock file that is another file of ours, or not ours, is refused and left as it is")
    func foreign() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try scratch.put("victim", [2], mode: 0o644)
        try #require(unsafe link(scratch("victim"), scratch(".vault.lock")) == 0)
        #expect(
            failure { () throws(StorageError) in try scratch.store().save([3]) }
                == StorageError(.openLockFile, .tooManyLinks))
        #expect(scratch.mode("victim") == 0o644)
        try FileManager.default.removeItem(atPath: scratch(".vault.lock"))
        try scratch.put(".vault.lock", [], mode: 0o644)
        // There is no vault, so that the owner of the lock file alone decides.
        try FileManager.default.removeItem(atPath: scratch("vault"))
        let system = FaultingSystemCalls(user: geteuid() + 1)
        #expect(
            failure { () throws(StorageError) in try scratch.store("vault", system).begin(.creation) }
                == StorageError(.openLockFile, .notPermitted))
        #expect(scratch.mode(".vault.lock") == 0o644)
    }

    @Test("a lock file removed or replaced while it is waited for does not let two in", arguments: [false, true])
    func removed(isReplaced: Bool) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let tries = Counter()
        let system = FaultingSystemCalls(before: { call in
            // Opened, not yet locked.
            guard call == .tryLock && tries.next() == 1 else { return }
            _ = unsafe unlink(scratch(".vault.lock"))
            if isReplaced { try? scratch.put(".vault.lock", []) }
        })
        let transaction = try scratch.store("vault", system).begin(.update)
        let second = failure { () throws(StorageError) in
            try scratch.store().begin(.update, timeout: .milliseconds(10))
        }
        #expect(second?.kind == .lockHeld)
        _ = consume transaction
    }

    @Test("a file system without locks gets no save", arguments: [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL])
    func noLocks(code: Int32) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let system = FaultingSystemCalls(.fails(code), of: [.tryLock])
        #expect(
            failure { () throws(StorageError) in try scratch.store("vault", system).save([2]) }
                == StorageError(.lock, Errno(code: code)))
        #expect(scratch.get("vault") == [1])
    }

    @Test("a file that changed between opening and locking is seen to have changed")
    func changedBeforeLock() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let known = try scratch.store().open().identity
        let done = Counter()
        let system = FaultingSystemCalls(before: { call in
            if call == .tryLock && done.next() == 1 {
                try? scratch.put("next", [2])
                _ = unsafe rename(scratch("next"), scratch("vault"))
            }
        })
        let transaction = try scratch.store("vault", system).begin(.update)
        let now = try transaction.open().identity
        #expect(now != known)
        #expect(
            failure { () throws(StorageError) in try transaction.replace(with: [3], expecting: known) }?.kind
                == .changedMeanwhile)
        #expect(try transaction.array() == [2])
    }

    @Test("a vault that another process makes while we wait for the lock is noticed at once")
    func madeBeforeLock() throws {
        let scratch = try Scratch()
        let system = FaultingSystemCalls(before: { call in
            if call == .tryLock { try? scratch.put("vault", [9]) }
        })
        let error = failure { () throws(StorageError) in try scratch.store("vault", system).begin(.creation) }
        #expect(error?.kind == .alreadyExists)
    }

    @Test("leftovers of killed saves are removed, and nothing else")
    func leftovers() throws {
        let scratch = try Scratch()
        let id = "0123456789abcdef"
        try scratch.put("vault", [1])
        // Two names of equal length, which Swift takes for equal text: the marks change places.
        let (one, other) = ("a\u{301}\u{323}", "a\u{323}\u{301}")
        try #require(one == other)
        for name in [one, other] { try scratch.put(name, [1]) }
        try scratch.put(".vault.tmp-\(id)", [1])
        try scratch.put(".vault.tmp-aaaaaaaaaaaaaaaa", [])
        let others = [
            ".vault.tmp-0123456789ABCDEF", ".vault.tmp-\(id)0", ".vault.tmp-0123456789abcde", ".vault2.tmp-\(id)",
            "vault.tmp-\(id)", ".vault.tmp-", ".vault.tmp-0123456789abcdeg", ".\(one).tmp-\(id)",
        ]
        for name in others { try scratch.put(name, [1]) }
        try FileManager.default.createDirectory(
            atPath: scratch(".vault.tmp-bbbbbbbbbbbbbbbb"), withIntermediateDirectories: false)
        try scratch.link(".vault.tmp-cccccccccccccccc", to: "vault")
        let kept = others + [".vault.tmp-bbbbbbbbbbbbbbbb", ".vault.tmp-cccccccccccccccc"]
        _ = try scratch.store().save([2])
        let names = Set((kept + ["vault", one, other, ".vault.lock"]).map { Array($0.utf8) })
        #expect(Set(scratch.names.map { Array($0.utf8) }) == names)
        _ = try scratch.store(other).save([2])
        #expect(scratch.get(".\(one).tmp-\(id)") != nil)
        _ = try scratch.store(one).save([2])
        #expect(scratch.get(".\(one).tmp-\(id)") == nil)
    }

    @Test("a leftover of another user is left to that user")
    func foreignLeftover() throws {
        let scratch = try Scratch()
        try scratch.put(".vault.tmp-0123456789abcdef", [1])
        let system = FaultingSystemCalls(foreign: [".vault.tmp-0123456789abcdef"])
        let held = try scratch.store("vault", system).begin(.creation)
        _ = consume held
        #expect(scratch.names.contains(".vault.tmp-0123456789abcdef"))
    }
}
