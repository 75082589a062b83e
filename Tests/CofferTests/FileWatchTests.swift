import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

@Suite struct FileWatchTests {
    @Test("a save of another handle is told")
    func save() throws {
        let place = try TemporaryVault()
        let changed = Occurrences()
        let watch = try FileWatch(path: place.path) { changed.happen() }
        try Background.settle()
        #expect(changed.count == 0)
        try place.unlocked().update { draft in draft.set(SettingKey("n", default: 0), to: 1) }
        #expect(changed.wait())
        #expect(watch.isAlive)
    }

    @Test("making, writing, moving and removing the file are told; other files of the directory are not")
    func changes() throws {
        let place = try TemporaryVault(create: false)
        let other = place.directory.appendingPathComponent("test.coffe")
        let changed = Occurrences()
        let watch = try FileWatch(path: place.path) { changed.happen() }
        let file = URL(fileURLWithPath: place.path)
        let steps: [() throws -> Void] = [
            { try Data("1".utf8).write(to: file) }, { try Data("2".utf8).write(to: file, options: .atomic) },
            { try FileManager.default.moveItem(at: file, to: other) },
            { try FileManager.default.moveItem(at: other, to: file) }, { try FileManager.default.removeItem(at: file) },
        ]
        for step in steps {
            try Data().write(to: place.directory.appendingPathComponent("test.coffer2"))
            try Background.settle()
            let before = changed.count
            try step()
            try Background.settle()
            #expect(changed.count > before)
        }
        let total = changed.count
        for name in ["test.coffe", "test.coffer2", ".test.coffer.lock", "a"] {
            let url = place.directory.appendingPathComponent(name)
            try Data("x".utf8).write(to: url)
            try FileManager.default.removeItem(at: url)
        }
        try Background.settle()
        #expect(changed.count == total)
        watch.cancel()
        try Data("1".utf8).write(to: file)
        try Background.settle()
        #expect(changed.count == total)
        #expect(!watch.isAlive)
    }

    @Test("all changes that came together are told once")
    func together() throws {
        let place = try TemporaryVault(create: false)
        let changed = Occurrences()
        let watch = try FileWatch(path: place.path) { changed.happen() }
        try Background.held {
            for number in 0..<50 { try place.write([UInt8(number)]) }
        }
        #expect(changed.wait())
        try Background.settle()
        #expect(changed.count == 1)
        watch.cancel()
    }

    @Test("links to the file are followed, relative ones too")
    func links() throws {
        let place = try TemporaryVault()
        let folder = place.directory.appendingPathComponent("links")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let (first, second) = (folder.appendingPathComponent("a").path, folder.appendingPathComponent("b").path)
        try FileManager.default.createSymbolicLink(atPath: first, withDestinationPath: "../test.coffer")
        try FileManager.default.createSymbolicLink(atPath: second, withDestinationPath: first)
        let changed = Occurrences()
        let watch = try FileWatch(path: second) { changed.happen() }
        try place.write([1])
        #expect(changed.wait())
        watch.cancel()
        try FileManager.default.removeItem(atPath: first)
        try FileManager.default.createSymbolicLink(atPath: first, withDestinationPath: "b")
        #expect(throws: Errno(code: ELOOP)) { try FileWatch(path: second) {} }
    }

    @Test("the watch ends with its directory, and says so", arguments: [true, false])
    func directory(isRemoved: Bool) throws {
        let place = try TemporaryVault(create: false)
        let changed = Occurrences()
        let watch = try FileWatch(path: place.path) { changed.happen() }
        if isRemoved {
            try FileManager.default.removeItem(at: place.directory)
        } else {
            let elsewhere = place.directory.appendingPathExtension("moved")
            try FileManager.default.moveItem(at: place.directory, to: elsewhere)
        }
        #expect(changed.wait())
        #expect(!watch.isAlive)
    }

    @Test("a watch that cannot be says why")
    func refused() throws {
        let place = try TemporaryVault(create: false)
        #expect(throws: Errno(code: ENOENT)) { try FileWatch(path: "\(place.directory.path)/none/file") {} }
        #expect(throws: Errno(code: EISDIR)) { try FileWatch(path: place.directory.path + "/") {} }
        #expect(throws: Errno(code: EINVAL)) { try FileWatch(path: "a\u{0}b") {} }
    }

    @Test("a process without free descriptors is told so")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 0
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(throws: Errno(code: EMFILE)) { try FileWatch(path: "/tmp/file") {} }
        }
    }

    // MARK: What the kernel says

    private func event(_ mask: Int, _ name: [UInt8] = [], length: Int? = nil) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { unsafe withUnsafeBytes(of: value) { unsafe Array($0) } }
        return number(1) + number(UInt32(truncatingIfNeeded: mask)) + number(0)
            + number(UInt32(truncatingIfNeeded: length ?? name.count)) + name
    }

    private func read(_ bytes: [UInt8]) -> DirectoryEvents {
        var events = DirectoryEvents()
        events.add(bytes[...], about: Array("vault".utf8))
        return events
    }

    @Test("events of other names and of no interest are passed over, up to the last")
    func names() {
        let (vault, vaults) = (Array("vault\0\0\0".utf8), Array("vaults\0\0".utf8))
        #expect(!read([]).hasChange)
        #expect(!read(event(Int(IN_CREATE), vaults)).hasChange)
        #expect(!read(event(Int(IN_CREATE))).hasChange)
        #expect(!read(event(Int(IN_OPEN), vault)).hasChange)
        #expect(read(event(Int(IN_CREATE), vault)).hasChange)
        #expect(read(event(Int(IN_CREATE), Array("vault".utf8))).hasChange)
        let last = event(Int(IN_CREATE), vaults) + event(Int(IN_OPEN)) + event(Int(IN_MOVED_TO), vault)
        #expect(read(last).hasChange)
        #expect(!read(last).isEnd)
    }

    @Test("an overflow is a change; the end of the directory is both")
    func special() {
        #expect(read(event(Int(IN_Q_OVERFLOW))).hasChange)
        #expect(!read(event(Int(IN_Q_OVERFLOW))).isEnd)
        for mask in [IN_IGNORED, IN_UNMOUNT, IN_DELETE_SELF, IN_MOVE_SELF] {
            #expect(read(event(Int(mask))).isEnd)
            #expect(read(event(Int(mask))).hasChange)
        }
    }

    @Test("no length is believed: what cannot be read counts as a change")
    func hostile() {
        for length in [1, 9, 4_096, Int(Int32.max), Int(UInt32.max)] {
            #expect(read(event(Int(IN_OPEN), Array("v".utf8) + [0], length: max(length, 3))).hasChange)
        }
        let whole = event(Int(IN_OPEN), Array("other\0\0\0".utf8))
        for count in 1..<whole.count { #expect(read(Array(whole.prefix(count))).hasChange) }
        #expect(!read(whole).hasChange)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            _ = read((0..<Int.random(in: 0...64, using: &generator)).map { _ in UInt8.random(in: 0...255) })
        }
    }
}
