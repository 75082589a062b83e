/// The file of one vault: how it is read, and how it is changed so that it is never half changed.
///
/// A handle without state: nothing is opened until a call, and each call looks at the path anew.
package struct VaultStore: Sendable {
    /// The path, as the caller gave it.
    package let path: String
    private let system: any SystemCalls
    private let lockTimeout: Duration

    /// How long a transaction waits for another one to end, unless told otherwise.
    package static let defaultTimeout = Duration.seconds(10)

    /// Names a vault's file.
    ///
    /// - Parameters:
    ///   - path: the path of the file; symbolic links are followed.
    ///   - system: makes the system calls.
    ///   - lockTimeout: how long a transaction waits for another one to end.
    package init(
        path: String, system: any SystemCalls = LinuxSystemCalls(), lockTimeout: Duration = defaultTimeout
    ) {
        self.path = path
        self.system = system
        self.lockTimeout = lockTimeout
    }

    /// Opens the file for reading. Takes no lock and writes nothing, so a read-only directory will do.
    ///
    /// - Returns: the open file.
    /// - Throws: `noVault`, `notARegularFile`, or a system failure. Specified in the file format, *Reading order*, 1.
    package func open() throws(StorageError) -> VaultReader {
        _ = try ResolvedPath.split(path)
        return try VaultReader(system, path, as: .reading)
    }

    /// Reads the whole file once its size and first bytes are found good.
    ///
    /// - Parameter admit: looks at up to 64 first bytes and the size, before the rest is allocated; throws to refuse.
    /// - Returns: the bytes and the identity that goes with them.
    /// - Throws: as `open()`, `changedWhileReading`, or what `admit` throws.
    package func read<Refusal: Error>(
        admit: (_ prefix: RawSpan, _ size: Int) throws(Refusal) -> Void
    ) throws(ReadError<Refusal>) -> StoredFile {
        try readAdmitted({ () throws(StorageError) in try open() }, admit)
    }

    /// Opens the file and reads in it; one that changes meanwhile is opened and read again, a few times.
    ///
    /// - Parameter body: reads in the file; throws `changedWhileReading` when that does not fit together.
    /// - Returns: what `body` returns.
    /// - Throws: as `open()`, and what `body` throws.
    package func reading<Result: ~Copyable>(
        _ body: (borrowing VaultReader) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try readingUnchanged({ () throws(StorageError) in try open() }, body)
    }

    /// Takes the lock for a change. It is held until the transaction's life ends.
    ///
    /// - Parameters:
    ///   - purpose: whether there is a vault to change or one is to be made.
    ///   - timeout: how long to wait for another transaction to end; nil for as long as this store does.
    /// - Returns: the transaction.
    /// - Throws: before anything is written: `noVault` or `alreadyExists`, `notARegularFile`, `hardLinked`,
    ///   `foreignOwner`, `nameTooLong`; `lockHeld` after the timeout; or a system failure.
    package func begin(
        _ purpose: VaultTransaction.Purpose, timeout: Duration? = nil
    ) throws(StorageError) -> VaultTransaction {
        try VaultTransaction(system, path, purpose, timeout: timeout ?? lockTimeout)
    }

    /// Makes the directories that the file is to stand in, mode 0700, as far as they are missing.
    ///
    /// - Throws: a system failure.
    package func createDirectories() throws(StorageError) {
        _ = try openOrCreateDirectory(try ResolvedPath.split(path).directory)
    }

    // From the end up, so that directories which may be passed but not read do no harm.
    private func openOrCreateDirectory(_ path: String) throws(StorageError) -> Descriptor {
        do throws(StorageError) {
            return try Descriptor(system, path, as: .directory, .createDirectory)
        } catch {
            guard Errno(code: error.errno) == .noEntry else { throw error }
        }
        let (parentPath, name) = try Self.parent(of: path)
        let parent = try openOrCreateDirectory(parentPath)
        do throws(StorageError) {
            try system.uninterrupted(.createDirectory) { () throws(Errno) in
                try system.makeDirectory(name, in: parent.number)
            }
            // The umask may have taken bits away that we need ourselves.
            try system.uninterrupted(.createDirectory) { () throws(Errno) in
                try system.setPermissions(0o700, of: name, in: parent.number)
            }
        } catch {
            // Somebody else made it meanwhile: just as well.
            guard Errno(code: error.errno) == .exists else { throw error }
        }
        _ = try system.synchronizeOnce(parent.number, .createDirectory)
        return try Descriptor(system, name, in: parent.number, as: .directory, .createDirectory)
    }

    private static func parent(of path: String) throws(StorageError) -> (directory: String, name: String) {
        let bytes = path.utf8
        let slash = UInt8(ascii: "/")
        guard let last = bytes.lastIndex(where: { $0 != slash }) else { throw StorageError(.createDirectory, .noEntry) }
        let trimmed = bytes[...last]
        let start = trimmed.lastIndex(of: slash).map { trimmed.index(after: $0) } ?? trimmed.startIndex
        let parent = String(decoding: trimmed[..<start], as: UTF8.self)
        return (parent.isEmpty ? "." : parent, String(decoding: trimmed[start...], as: UTF8.self))
    }
}
