import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

@Suite struct VaultReaderTests {
    private enum Refusal: Error { case tooLarge(Int) }

    @Test("the whole file is read, with prefix, suffix and size", arguments: [0, 1, 42, 64, 5000])
    func whole(count: Int) throws {
        let scratch = try Scratch()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try scratch.put("vault", bytes)
        let reader = try scratch.store().open()
        let all = try reader.readAll()
        let found = (all.bytes.array, try reader.readPrefix().array, try reader.readSuffix(32).array, reader.size)
        #expect(found.0 == bytes)
        #expect(found.1 == Array(bytes.prefix(64)))
        #expect(found.2 == Array(bytes.suffix(32)))
        #expect(found.3 == count)
        let same = all.identity == reader.identity
        #expect(same)
    }

    @Test("size and first bytes are judged before anything is allocated for the rest")
    func admission() throws {
        let scratch = try Scratch()
        try scratch.put("vault", Array("COFFER".utf8))
        // A sparse file of a terabyte: allocating or reading it would be noticed.
        try #require(unsafe truncate(scratch("vault"), 1 << 40) == 0)
        let system = FaultingSystemCalls()
        var seen: [UInt8] = []
        do {
            _ = try scratch.store("vault", system).read { (prefix, size) throws(Refusal) in
                seen = unsafe prefix.withUnsafeBytes { unsafe Array($0.prefix(6)) }
                throw .tooLarge(size)
            }
            Issue.record("was read")
        } catch {
            guard case .refused(.tooLarge(1 << 40)) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(seen == Array("COFFER".utf8))
        #expect(system.log == [.open, .status, .read, .close])
    }

    @Test("no file is no vault, also behind a dangling link")
    func absent() throws {
        let scratch = try Scratch()
        try scratch.link("dangling", to: "nowhere")
        for name in ["vault", "dangling", "missing/vault"] {
            let read = failure { () throws(StorageError) in try scratch.store(name).open() }
            #expect(read == StorageError(.openVault, .noEntry, .noVault), "\(name)")
            let change = failure { () throws(StorageError) in try scratch.store(name).begin(.update) }
            #expect(change?.kind == .noVault, "\(name)")
        }
        #expect(scratch.names == ["dangling"])
    }

    @Test("a directory, a pipe, a socket and a device are refused at once", .timeLimit(.minutes(1)))
    func otherKinds() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch("directory"), withIntermediateDirectories: false)
        try #require(unsafe mkfifo(scratch("pipe"), 0o600) == 0)
        try scratch.link("device", to: "/dev/zero")
        try scratch.link("terminal", to: "/dev/ptmx")
        try #require(
            run(
                "/usr/bin/env", "python3", "-c",
                "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", scratch("socket")))
        let before = scratch.names
        for name in ["directory", "pipe", "socket", "device", "terminal", "directory/", ".", "directory/.."] {
            let read = failure { () throws(StorageError) in try scratch.store(name).open() }
            #expect(read?.kind == .notARegularFile, "\(name)")
            let change = failure { () throws(StorageError) in try scratch.store(name).begin(.update) }
            #expect(change?.kind == .notARegularFile, "\(name)")
        }
        #expect(scratch.names == before)
    }

    @Test("a path that no file can have is an error", arguments: ["", "vault\0.txt"])
    func impossiblePaths(path: String) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let full = path.isEmpty ? path : scratch(path)
        #expect(failure { () throws(StorageError) in try VaultStore(path: full).open() }?.kind == .system)
        #expect(failure { () throws(StorageError) in try VaultStore(path: full).begin(.update) }?.kind == .system)
        #expect(failure { () throws(StorageError) in try VaultStore(path: full).createDirectories() }?.kind == .system)
    }

    @Test("reading makes four kinds of calls, none of which writes")
    func writesNothing() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1, 2, 3], mode: 0o400)
        _ = unsafe chmod(scratch.path, 0o500)
        defer { _ = unsafe chmod(scratch.path, 0o700) }
        let system = FaultingSystemCalls()
        #expect(try scratch.store("vault", system).array() == [1, 2, 3])
        #expect(Set(system.log) == [.open, .status, .read, .close])
        #expect(scratch.names == ["vault"])
    }

    @Test("a file that another program writes into is read again")
    func changes() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1, 1, 1])
        let reads = Counter()
        // The first read is that of the prefix, the second finds the file longer.
        let growing = FaultingSystemCalls(before: { call in
            if call == .read && reads.next() == 2 { try? scratch.put("vault", [2, 2, 2, 2]) }
        })
        #expect(try scratch.store("vault", growing).array() == [2, 2, 2, 2])
        let rewrites = Counter()
        let rewriting = FaultingSystemCalls(before: { call in
            if call == .status && rewrites.next() == 2 {
                var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
                _ = unsafe utimensat(AT_FDCWD, scratch("vault"), &times, 0)
            }
        })
        let contents = try scratch.store("vault", rewriting).read { _, _ in }
        let identity = contents.identity
        #expect(identity == (try scratch.store().open().identity))
        #expect(rewriting.log.filter { $0 == .open }.count == 1)
    }

    @Test("a file that never stays the same is an error in the end")
    func neverTheSame() throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        let count = Counter()
        let system = FaultingSystemCalls(before: { call in
            if call == .read { try? scratch.put("vault", [UInt8](repeating: 1, count: 2 + count.next())) }
        })
        #expect(throws: ReadError<Never>.storage(StorageError(.readVault, .stale, .changedWhileReading))) {
            _ = try scratch.store("vault", system).array()
        }
    }

    @Test("every error while reading names its step", arguments: [EIO, EACCES])
    func errors(code: Int32) throws {
        let scratch = try Scratch()
        try scratch.put("vault", [1])
        for (index, step) in [StorageError.Step.openVault, .openVault, .readVault].enumerated() {
            let system = FaultingSystemCalls(.fails(code), at: index + 1)
            #expect(throws: ReadError<Never>.storage(StorageError(step, Errno(code: code)))) {
                _ = try scratch.store("vault", system).array()
            }
        }
    }
}
