/// One change of a vault's file, from taking the lock to giving it back at the end of this value's life.
///
/// The lock file beside the vault is never removed: whoever waits for it would wait for a file that others cannot see.
package struct VaultTransaction: ~Copyable, Sendable {
    /// What a transaction is for.
    package enum Purpose: Sendable {
        /// There is a vault, which is to be changed.
        case update
        /// There is no vault, and one is to be made.
        case creation
    }

    let place: ResolvedPath
    let purpose: Purpose
    let system: any SystemCalls
    private let lock: FileLock.Held

    init(
        _ system: any SystemCalls, _ path: String, _ purpose: Purpose, timeout: Duration
    ) throws(StorageError) {
        let place = try Self.resolve(system, path, purpose)
        let names = WorkNames(of: place.name)
        guard !WorkNames.isReserved(place.name) else {
            throw StorageError(.openLockFile, .invalidArgument, .nameReserved)
        }
        guard names.fit else { throw StorageError(.openLockFile, .nameTooLong, .nameTooLong) }
        // First without the lock, which would leave its file beside a vault that is not ours, or none at all.
        _ = try Self.check(place, purpose)
        let lock = try FileLock.take(system, names.lock, in: place.directory.number, timeout: timeout)
        _ = try Self.check(place, purpose)
        self.lock = lock
        self.place = place
        self.purpose = purpose
        self.system = system
        removeLeftovers()
    }

    // Where the directory is missing, so is the vault.
    private static func resolve(
        _ system: any SystemCalls, _ path: String, _ purpose: Purpose
    ) throws(StorageError) -> ResolvedPath {
        do throws(StorageError) {
            return try ResolvedPath(system, path)
        } catch {
            let isAbsent = error.step == .openDirectory && Errno(code: error.errno) == .noEntry
            throw isAbsent && purpose == .update ? StorageError(.openDirectory, .noEntry, .noVault) : error
        }
    }

    /// Opens the file as it is now, under the lock.
    ///
    /// - Returns: the open file.
    /// - Throws: `noVault`, `notARegularFile`, or a system failure.
    package borrowing func open() throws(StorageError) -> VaultReader {
        try VaultReader(system, place.name, in: place.directory.number, as: .readingNoLink)
    }

    /// Reads the whole file under the lock, once its size and first bytes are found good.
    ///
    /// - Parameter admit: looks at up to 64 first bytes and the size, before the rest is allocated; throws to refuse.
    /// - Returns: the bytes and the identity that goes with them.
    /// - Throws: as `open()`, `changedWhileReading`, or what `admit` throws.
    package borrowing func read<Refusal: Error>(
        admit: (_ prefix: RawSpan, _ size: Int) throws(Refusal) -> Void
    ) throws(ReadError<Refusal>) -> StoredFile {
        let (system, name, directory) = (system, place.name, place.directory.number)
        return try readAdmitted(
            { () throws(StorageError) in try VaultReader(system, name, in: directory, as: .readingNoLink) }, admit)
    }

    /// Makes sure that the file may be replaced, or made.
    ///
    /// - Returns: its status, or nil if there is none and none is asked for.
    static func check(_ place: borrowing ResolvedPath, _ purpose: Purpose) throws(StorageError) -> FileStatus? {
        let (system, name, directory) = (place.directory.system, place.name, place.directory.number)
        let status: FileStatus
        do throws(StorageError) {
            status = try system.uninterrupted(.checkVault) { () throws(Errno) in
                try system.status(of: name, in: directory)
            }
        } catch {
            guard Errno(code: error.errno) == .noEntry else { throw error }
            guard purpose == .creation else { throw StorageError(.checkVault, .noEntry, .noVault) }
            return nil
        }
        guard purpose == .update else { throw StorageError(.checkVault, .exists, .alreadyExists) }
        try status.requireRegularFile(.checkVault)
        guard status.owner == system.effectiveUser() else {
            throw StorageError(.checkVault, .notPermitted, .foreignOwner)
        }
        // None at all, if another save replaces the file at this moment.
        guard status.links <= 1 else { throw StorageError(.checkVault, .tooManyLinks, .hardLinked) }
        return status
    }

    /// Removes what killed saves of ours left. Nothing depends on it, so a failure is left for the next time.
    private borrowing func removeLeftovers() {
        let directory = place.directory.number
        let names = WorkNames(of: place.name)
        let found = try? system.names(in: directory, startingWith: names.temporaryPrefix)
        for name in found ?? [] where names.isTemporary(name) {
            guard let status = try? system.status(of: name, in: directory), status.kind == .regular,
                status.owner == system.effectiveUser()
            else { continue }
            try? system.remove(name, in: directory)
        }
    }
}
