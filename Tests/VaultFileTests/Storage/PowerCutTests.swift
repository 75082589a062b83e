import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultFile

/// A disk in a file, whose state at any moment can be looked at as if the power had been cut then.
private final class Disk: Sendable {
    let scratch: Scratch
    private let images: Scratch

    init?() {
        guard let scratch = try? Scratch(), let images = try? Scratch(),
            FileManager.default.createFile(atPath: images("disk"), contents: nil),
            unsafe truncate(images("disk"), 8 << 20) == 0,
            run("/usr/bin/env", "mkfs.ext4", "-q", "-F", images("disk")),
            run("/usr/bin/env", "mount", "-o", "loop", images("disk"), scratch.path)
        else { return nil }
        (self.scratch, self.images) = (scratch, images)
    }

    deinit { run("/usr/bin/env", "umount", scratch.path) }

    /// What is at a name after the power was cut now and came back.
    func afterPowerCut(_ name: String) throws -> [UInt8]? {
        let (copy, place) = (images(UUID().uuidString), try Scratch())
        try FileManager.default.copyItem(atPath: images("disk"), toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        // Mounting replays the journal.
        try #require(run("/usr/bin/env", "mount", "-o", "loop", copy, place.path))
        defer { run("/usr/bin/env", "umount", place.path) }
        return place.get(name)
    }

    static let isPermitted = Disk() != nil
}

@Suite(.enabled(if: Disk.isPermitted, "mounting a disk image is not permitted here"))
struct PowerCutTests {
    private static let old = [UInt8](repeating: 1, count: 10_000)
    private static let new = [UInt8](repeating: 2, count: 50_000)

    @Test("a power cut before any call of a save leaves the old file or the new one, and after it the new one")
    func update() throws {
        let disk = try #require(Disk())
        _ = try disk.scratch.store().save(Self.old, .creation)
        var states: [Bool] = []
        let plain = FaultingSystemCalls()
        _ = try disk.scratch.store("vault", plain).save(Self.new)
        for index in 1...plain.log.count {
            _ = try disk.scratch.store().save(Self.old)
            let seen = Mutex<[UInt8]?>(nil)
            let counter = Counter()
            let system = FaultingSystemCalls(before: { _ in
                if counter.next() == index { seen.withLock { $0 = try? disk.afterPowerCut("vault") } }
            })
            _ = try disk.scratch.store("vault", system).save(Self.new)
            let found = seen.withLock { $0 }
            let isWhole = found == Self.old || found == Self.new
            #expect(isWhole, "before call \(index), \(system.log[index - 1])")
            states.append(found == Self.new)
        }
        #expect(states.first == false)
        let last = try disk.afterPowerCut("vault") == Self.new
        #expect(last, "after the save")
    }

    @Test("a new vault and its new directories survive a power cut right after the answer")
    func creation() throws {
        let disk = try #require(Disk())
        let store = disk.scratch.store("a/b/vault")
        try store.createDirectories()
        _ = try store.save(Self.new, .creation)
        let isThere = try disk.afterPowerCut("a/b/vault") == Self.new
        #expect(isThere)
    }
}
