import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// A file system in memory, of a size of its own, mounted for one test.
private final class Mount {
    let scratch: Scratch

    init?(size: String) {
        guard let scratch = try? Scratch(),
            run("/usr/bin/env", "mount", "-t", "tmpfs", "-o", "size=\(size),mode=0700", "tmpfs", scratch.path)
        else { return nil }
        self.scratch = scratch
    }

    func remount(_ options: String) -> Bool {
        run("/usr/bin/env", "mount", "-o", "remount,\(options)", scratch.path)
    }

    deinit { run("/usr/bin/env", "umount", scratch.path) }

    static let isPermitted = Mount(size: "64k") != nil
}

@Suite(.enabled(if: Mount.isPermitted, "mounting a file system is not permitted here"))
struct MountedFileSystemTests {
    @Test("a full disk leaves the old vault and no temporary file")
    func full() throws {
        let mount = try #require(Mount(size: "64k"))
        let scratch = mount.scratch
        let old = [UInt8](repeating: 1, count: 20_000)
        _ = try scratch.store().save(old, .creation)
        let error = failure { () throws(StorageError) in
            try scratch.store().save([UInt8](repeating: 2, count: 60_000))
        }
        #expect(error == StorageError(.writeTemporary, Errno(code: ENOSPC)))
        let isKept = scratch.get("vault") == old
        #expect(isKept)
        #expect(scratch.names == [".vault.lock", "vault"])
        // What fits is saved again.
        _ = try scratch.store().save([UInt8](repeating: 3, count: 20_000))
        #expect(scratch.get("vault")?.first == 3)
    }

    @Test("a vault on a read-only file system is read, and a save says what stopped it")
    func readOnly() throws {
        let mount = try #require(Mount(size: "64k"))
        let scratch = mount.scratch
        try scratch.put("vault", [1, 2, 3])
        try #require(mount.remount("ro"))
        #expect(try scratch.store().array() == [1, 2, 3])
        #expect(
            failure { () throws(StorageError) in try scratch.store().save([4]) }
                == StorageError(.openLockFile, Errno(code: EROFS)))
    }
}
