import Foundation
import Glibc
import VaultFile

/// A directory of its own for one test, removed at the end.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "coffer-storage-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file in place, as a stranger would, with a mode that no umask changes.
    func put(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
        guard unsafe chmod(self(name), mode) == 0 else { throw Errno(code: errno) }
    }

    func get(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: self(name)).map { [UInt8]($0) } }

    func status(_ name: String) -> stat {
        var found = stat()
        _ = unsafe lstat(self(name), &found)
        return found
    }

    func mode(_ name: String) -> mode_t { status(name).st_mode & 0o7777 }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    func target(_ name: String) -> String? { try? FileManager.default.destinationOfSymbolicLink(atPath: self(name)) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func store(_ name: String = "vault", _ system: any SystemCalls = LinuxSystemCalls()) -> VaultStore {
        VaultStore(path: self(name), system: system)
    }
}

extension VaultTransaction {
    /// Replaces the file by an array's bytes.
    borrowing func replace(
        with bytes: [UInt8], expecting expected: FileIdentity? = nil
    ) throws(StorageError) -> ReplacementReport {
        try unsafe replace(with: bytes.span.bytes, expecting: expected)
    }

    /// Reads the whole file into an array.
    borrowing func array() throws -> [UInt8] { try read { _, _ in }.bytes.array }
}

extension VaultStore {
    /// Saves bytes over the vault, or makes it.
    func save(_ bytes: [UInt8], _ purpose: VaultTransaction.Purpose = .update) throws(StorageError) -> ReplacementReport
    {
        try begin(purpose, timeout: .seconds(5)).replace(with: bytes)
    }

    /// Reads the whole file into an array.
    func array() throws -> [UInt8] { try read { _, _ in }.bytes.array }
}

extension FileBytes {
    var array: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}

/// What a throwing call failed with.
func failure<Value: ~Copyable>(_ body: () throws(StorageError) -> Value) -> StorageError? {
    do throws(StorageError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Runs a program and says whether it succeeded.
@discardableResult
func run(_ program: String, _ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}
