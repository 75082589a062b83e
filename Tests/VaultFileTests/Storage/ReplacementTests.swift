import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

private let isRoot = geteuid() == 0

@Suite struct ReplacementTests {
    private static let new: [UInt8] = Array("new bytes".utf8)

    @Test("the new file's identity is the one that the next reader sees")
    func identity() throws {
        let scratch = try Scratch()
        let made = try scratch.store().save(Self.new, .creation)
        let seen = try scratch.store().open().identity
        #expect(made.identity == seen)
        #expect(made.warnings == [])
        let again = try scratch.store().save(Self.new)
        #expect(again.identity != made.identity)
        #expect(again.identity == (try scratch.store().open().identity))
    }

    @Test("several saves in one transaction follow on each other")
    func repeated() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let transaction = try scratch.store().begin(.update)
        let first = try transaction.replace(with: [2], expecting: transaction.open().identity)
        let second = try transaction.replace(with: [3], expecting: first.identity)
        #expect(second.warnings == [])
        #expect(scratch.get("vault") == [3])
    }

    @Test("a file that another save replaces while it is looked at is not taken for one with two names")
    func replacedWhileLookedAt() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let system = FaultingSystemCalls(.unlinked, at: 1, of: [.statusAt])
        _ = try scratch.store("vault", system).save(Self.new)
        #expect(system.fired)
        #expect(scratch.get("vault") == Self.new)
    }

    @Test("a file that is not the expected one is not replaced")
    func unexpected() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let known = try scratch.store().open().identity
        // Between open and lock another program saves, or writes in place.
        _ = try scratch.store().save([2])
        let error = failure { () throws(StorageError) in
            try scratch.store().begin(.update).replace(with: Self.new, expecting: known)
        }
        #expect(error?.kind == .changedMeanwhile)
        #expect(scratch.get("vault") == [2])
        let inPlace = try scratch.store().open().identity
        let handle = try #require(FileHandle(forWritingAtPath: scratch("vault")))
        try handle.write(contentsOf: [3])
        try handle.close()
        let transaction = try scratch.store().begin(.update)
        let now = try transaction.open().identity
        #expect(now != inPlace)
        #expect(now.isSameFile(as: inPlace))
    }

    @Test("a new vault is 0600, and so is its lock file, whatever the umask", arguments: [0, 0o022, 0o077, 0o777])
    func umasks(mask: Int) async throws {
        let scratch = try Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String, mask = mask as Int] in
            umask(mode_t(mask))
            // Never open to others, not even for a moment: looked at after each call.
            let system = FaultingSystemCalls(before: { _ in
                umask(mode_t(mask))
                for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
                    var found = stat()
                    guard unsafe lstat(path + "/" + name, &found) == 0 else { continue }
                    if found.st_mode & 0o177 != 0 { exit(3) }
                }
            })
            _ = try VaultStore(path: path + "/vault", system: system).save([1], .creation)
        }
        #expect(scratch.names == [".vault.lock", "vault"])
        #expect(scratch.mode("vault") == 0o600)
        #expect(scratch.mode(".vault.lock") == 0o600)
    }

    @Test(
        "the mode of a vault is kept, without set-id bits, and a wide one is said",
        arguments: [
            (0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o400, 0o400), (0o6755, 0o755), (0o1600, 0o600),
        ] as [(mode_t, mode_t)])
    func modes(before: mode_t, after: mode_t) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1], mode: before)
        let report = try scratch.store().save(Self.new)
        #expect(scratch.mode("vault") == after)
        #expect(report.warnings == (after & 0o077 == 0 ? [] : [.widerThan0600(permissions: after)]))
    }

    @Test("the group of a vault is kept", .enabled(if: isRoot, "only root may give a file to any group"))
    func group() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1], mode: 0o640)
        try #require(unsafe chown(scratch("vault"), uid_t.max, 4321) == 0)
        let report = try scratch.store().save(Self.new)
        #expect(scratch.status("vault").st_gid == 4321)
        #expect(scratch.mode("vault") == 0o640)
        #expect(report.warnings == [.widerThan0600(permissions: 0o640)])
    }

    @Test(
        "where the group cannot be kept, no group gets more rights than it had",
        .enabled(if: isRoot, "only root may give a file away"),
        arguments: [
            (0o640, 0o600), (0o660, 0o600), (0o644, 0o644), (0o664, 0o644), (0o604, 0o604),
        ] as [(mode_t, mode_t)])
    func groupRefused(before: mode_t, after: mode_t) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1], mode: before)
        try #require(unsafe chown(scratch("vault"), uid_t.max, 4321) == 0)
        let system = FaultingSystemCalls(.fails(EPERM), of: [.setGroup])
        let report = try scratch.store("vault", system).save(Self.new)
        #expect(report.warnings.first == .groupNotKept)
        #expect(scratch.status("vault").st_gid != 4321)
        #expect(scratch.mode("vault") == after)
    }

    @Test("a vault with a second name is refused and nothing is written")
    func hardLink() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try FileManager.default.linkItem(atPath: scratch("vault"), toPath: scratch("other"))
        let error = failure { () throws(StorageError) in try scratch.store().save(Self.new) }
        #expect(error?.kind == .hardLinked)
        #expect(scratch.names == ["other", "vault"])
        #expect(scratch.get("other") == [1])
    }

    @Test("a vault that gets a second name or another owner under the lock is refused")
    func lateHardLink() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let transaction = try scratch.store().begin(.update)
        try FileManager.default.linkItem(atPath: scratch("vault"), toPath: scratch("other"))
        let error = failure { () throws(StorageError) in try transaction.replace(with: Self.new) }
        #expect(error?.kind == .hardLinked)
        #expect(scratch.get("vault") == [1])
    }

    @Test("a vault of another user is refused and nothing is written")
    func foreignOwner() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let system = FaultingSystemCalls(user: geteuid() + 1)
        let error = failure { () throws(StorageError) in try scratch.store("vault", system).save(Self.new) }
        #expect(error?.kind == .foreignOwner)
        #expect(scratch.names == ["vault"])
    }

    @Test("root does not take over a vault either", .enabled(if: isRoot, "only root may give a file away"))
    func foreignOwnerAsRoot() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try #require(unsafe chown(scratch("vault"), 65534, gid_t.max) == 0)
        let error = failure { () throws(StorageError) in try scratch.store().save(Self.new) }
        #expect(error?.kind == .foreignOwner)
        #expect(scratch.status("vault").st_uid == 65534)
    }

    @Test("a new vault never replaces a file, even one that appears behind the lock's back", arguments: [false, true])
    func creationRace(withoutRename2: Bool) throws {
        let scratch = try Scratch()
        let store = scratch.store(
            "vault", FaultingSystemCalls(withoutRename2 ? .fails(EINVAL) : nil, of: [.renameToFreeName]))
        let transaction = try store.begin(.creation)
        try scratch.put("vault", [9])
        let early = failure { () throws(StorageError) in try transaction.replace(with: Self.new) }
        #expect(early?.kind == .alreadyExists)
        try FileManager.default.removeItem(atPath: scratch("vault"))

        // At the last moment before the rename.
        let system = FaultingSystemCalls(
            withoutRename2 ? .fails(EINVAL) : nil, of: [.renameToFreeName],
            before: { call in if call == .renameToFreeName { try? scratch.put("vault", [9]) } })
        _ = consume transaction
        let late = failure { () throws(StorageError) in try scratch.store("vault", system).save(Self.new, .creation) }
        #expect(late == StorageError(.rename, .exists, .alreadyExists))
        #expect(scratch.get("vault") == [9])
        #expect(scratch.names == [".vault.lock", "vault"])
    }

    @Test("a file system without renameat2 gets its first vault all the same")
    func creationWithoutRename2() throws {
        let scratch = try Scratch()
        let system = FaultingSystemCalls(.fails(EINVAL), of: [.renameToFreeName])
        _ = try scratch.store("vault", system).save(Self.new, .creation)
        #expect(scratch.get("vault") == Self.new)
        let second = failure { () throws(StorageError) in try scratch.store().save([1], .creation) }
        #expect(second?.kind == .alreadyExists)
    }

    @Test("a taken temporary name is not touched, and another is drawn")
    func takenName() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        // Opened before: the directory, the lock file. The third is the temporary file.
        _ = try scratch.store("vault", FaultingSystemCalls(.fails(EEXIST), at: 3, of: [.open])).save(Self.new)
        #expect(scratch.get("vault") == Self.new)
    }

    @Test("an empty file is as good as any: storage knows bytes, not vaults")
    func empty() throws {
        let scratch = try Scratch()
        _ = try scratch.store().save([], .creation)
        #expect(scratch.get("vault") == [])
        _ = try scratch.store().save([1])
        #expect(try scratch.store().array() == [1])
    }
}
