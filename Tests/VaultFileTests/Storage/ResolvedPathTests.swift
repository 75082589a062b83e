import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

@Suite struct ResolvedPathTests {
    /// Links of all kinds to `real/vault`, by name and target.
    private static let links = [
        ("relative", "real/vault"), ("chained", "relative"), ("deep", "other/up"), ("dotted", "./real/../real//vault"),
    ]

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        for name in ["real", "other"] {
            try FileManager.default.createDirectory(atPath: scratch(name), withIntermediateDirectories: false)
        }
        for (name, target) in Self.links { try scratch.link(name, to: target) }
        try scratch.link("other/up", to: "../chained")
        try scratch.link("absolute", to: scratch("real/vault"))
        return scratch
    }

    @Test("a save through a link keeps the link and changes its target")
    func kept() throws {
        let scratch = try scratch()
        try scratch.put("real/vault", [0], mode: 0o640)
        let names = scratch.names
        for (number, name) in (Self.links.map(\.0) + ["absolute"]).enumerated() {
            let before = scratch.target(name)
            _ = try scratch.store(name).save([UInt8(number + 1)])
            #expect(scratch.target(name) == before && before != nil, "\(name)")
            #expect(scratch.get("real/vault") == [UInt8(number + 1)], "\(name)")
            #expect(scratch.mode("real/vault") == 0o640, "\(name)")
        }
        #expect(scratch.names == names)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch("real")).sorted() == [".vault.lock", "vault"])
    }

    @Test("a new vault behind a dangling link is made at the link's target")
    func dangling() throws {
        let scratch = try scratch()
        _ = try scratch.store("deep").save([7], .creation)
        #expect(scratch.get("real/vault") == [7])
        #expect(scratch.target("deep") == "other/up")
        #expect(
            failure { () throws(StorageError) in try scratch.store("absolute").begin(.creation) }?.kind
                == .alreadyExists)
        try scratch.link("lost", to: "nowhere/vault")
        let lost = failure { () throws(StorageError) in try scratch.store("lost").begin(.creation) }
        #expect(lost == StorageError(.openDirectory, .noEntry))
    }

    @Test("a path and a link to it wait for the same lock")
    func oneLock() throws {
        let scratch = try scratch()
        try scratch.put("real/vault", [0])
        let held = try scratch.store("real/vault").begin(.update)
        let error = failure { () throws(StorageError) in
            try scratch.store("deep").begin(.update, timeout: .milliseconds(5))
        }
        #expect(error?.kind == .lockHeld)
        _ = consume held
    }

    @Test("a loop of links ends with an error")
    func loops() throws {
        let scratch = try Scratch()
        try scratch.link("a", to: "b")
        try scratch.link("b", to: "a")
        #expect(
            failure { () throws(StorageError) in try scratch.store("a").begin(.update) }
                == StorageError(.followLink, .linkLoop))
        #expect(
            failure { () throws(StorageError) in try scratch.store("a").open() }
                == StorageError(.openVault, .linkLoop))
    }

    @Test("40 links are followed, 41 are not")
    func chains() throws {
        let scratch = try Scratch()
        try scratch.put("link0", [1])
        for number in 1...41 { try scratch.link("link\(number)", to: "link\(number - 1)") }
        _ = try scratch.store("link40").save([2])
        #expect(scratch.get("link0") == [2])
        #expect(
            failure { () throws(StorageError) in try scratch.store("link41").begin(.update) }
                == StorageError(.followLink, .linkLoop))
    }

    @Test("a link whose target is no UTF-8 is not followed to a repaired name")
    func illegalTarget() throws {
        let scratch = try Scratch()
        let target: [CChar] = [0x61, -1, 0]
        try #require(unsafe symlink(target, scratch("link")) == 0)
        #expect(
            failure { () throws(StorageError) in try scratch.store("link").begin(.creation) }
                == StorageError(.followLink, Errno(code: EILSEQ)))
    }

    @Test("a link that appears while the lock is held is not followed")
    func lateLink() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        try scratch.put("victim", [2])
        let transaction = try scratch.store().begin(.update)
        try FileManager.default.removeItem(atPath: scratch("vault"))
        try scratch.link("vault", to: "victim")
        #expect(
            failure { () throws(StorageError) in try transaction.open() }
                == StorageError(.openVault, .linkLoop))
        #expect(failure { () throws(StorageError) in try transaction.replace(with: [3]) }?.kind == .notARegularFile)
        #expect(scratch.get("victim") == [2])
        #expect(scratch.target("vault") == "victim")
    }

    @Test("a name leaves room for the temporary file's, or is refused", arguments: [233, 234, 255, 256, 300])
    func longNames(count: Int) throws {
        let scratch = try Scratch()
        let name = String(repeating: "v", count: count)
        let error = failure { () throws(StorageError) in try scratch.store(name).save([1], .creation) }
        #expect(error?.kind == (count <= 233 ? nil : .nameTooLong))
        #expect(scratch.names.contains(name) == (count <= 233))
    }

    @Test("missing directories are made, for their owner alone")
    func directories() throws {
        let scratch = try Scratch()
        let system = FaultingSystemCalls()
        let store = scratch.store("a//b/../b/c/vault", system)
        #expect(
            failure { () throws(StorageError) in try store.begin(.creation) }
                == StorageError(.openDirectory, .noEntry))
        try store.createDirectories()
        try store.createDirectories()
        for name in ["a", "a/b", "a/b/c"] { #expect(scratch.mode(name) == 0o700, "\(name)") }
        // Each new name is brought to the disk with the directory that it stands in.
        #expect(system.log.filter { $0 == .synchronize }.count >= 3)
        _ = try store.save([1], .creation)
        #expect(scratch.get("a/b/c/vault") == [1])
        try scratch.put("file", [1])
        #expect(
            failure { () throws(StorageError) in try scratch.store("file/vault").createDirectories() }
                == StorageError(.createDirectory, Errno(code: ENOTDIR)))
    }
}
