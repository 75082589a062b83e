// The steps of `replace(with:expecting:)`, in their order.
extension VaultTransaction {
    private static let nameAttempts = 8
    private static let chunk = 1 << 18

    /// Makes the temporary file, readable by its owner alone from its first moment.
    borrowing func createTemporary() throws(StorageError) -> TemporaryFile {
        let names = WorkNames(of: place.name)
        for _ in 1..<Self.nameAttempts {
            let name = names.temporary()
            do throws(StorageError) {
                return try TemporaryFile(name: name, file: open(name))
            } catch {
                guard Errno(code: error.errno) == .exists else { throw error }
            }
        }
        let name = names.temporary()
        return try TemporaryFile(name: name, file: open(name))
    }

    private borrowing func open(_ name: String) throws(StorageError) -> Descriptor {
        try Descriptor(system, name, in: place.directory.number, as: .newFile, .createTemporary)
    }

    /// Gives the new file the group and mode of the old one, or 0600 if there is none.
    borrowing func setAccess(
        of file: borrowing Descriptor, like old: FileStatus?, _ warnings: inout [ReplacementReport.Warning]
    ) throws(StorageError) {
        let new = try file.status(.keepMode)
        // Set-id and sticky bits mean nothing on a vault.
        var permissions = (old?.permissions ?? 0o600) & 0o777
        if let old, old.group != new.group {
            do throws(StorageError) {
                let (system, number) = (system, file.number)
                try system.uninterrupted(.keepGroup) { () throws(Errno) in
                    try system.setGroup(old.group, of: number)
                }
            } catch {
                warnings.append(.groupNotKept)
                // Members of the new group were others so far, or had the rights of the old group.
                permissions &= 0o707 | (permissions & 0o7) << 3
            }
        }
        if new.permissions != permissions {
            let (system, number) = (system, file.number)
            try system.uninterrupted(.keepMode) { () throws(Errno) in
                try system.setPermissions(permissions, of: number)
            }
        }
        if permissions & 0o077 != 0 { warnings.append(.widerThan0600(permissions: permissions)) }
    }

    /// Reads the file back and compares every byte, so that what is put in place is what was meant.
    borrowing func verify(_ file: borrowing Descriptor, _ bytes: RawSpan) throws(StorageError) {
        let size = try file.status(.verifyTemporary).size
        guard size == bytes.byteCount else { throw StorageError(.verifyTemporary, .inputOutput, .verificationFailed) }
        var buffer = try FileBytes(count: min(Self.chunk, size), for: .verifyTemporary)
        var offset = 0
        while offset < size {
            let count = min(Self.chunk, size - offset)
            let found = try file.read(into: &buffer, range: 0..<count, from: offset, .verifyTemporary)
            guard found == count, buffer.starts(with: bytes.extracting(offset..<offset + count)) else {
                throw StorageError(.verifyTemporary, .inputOutput, .verificationFailed)
            }
            offset += count
        }
    }

    /// Puts the temporary file in the place of the vault, in one step.
    borrowing func rename(_ temporary: borrowing TemporaryFile) throws(StorageError) {
        let written = try temporary.file.status(.rename).identity
        while true {
            do throws(Errno) {
                return try renameOnce(temporary.name)
            } catch {
                // Over a network the answer can get lost after the deed.
                let found = try? system.status(of: place.name, in: place.directory.number)
                if let found, found.identity.isSameFile(as: written) { return }
                if error == .interrupted { continue }
                let isTaken = purpose == .creation && error == .exists
                throw StorageError(.rename, error, isTaken ? .alreadyExists : .system)
            }
        }
    }

    private borrowing func renameOnce(_ temporary: String) throws(Errno) {
        let (name, directory) = (place.name, place.directory.number)
        guard purpose == .creation else { return try system.rename(temporary, to: name, in: directory) }
        do throws(Errno) {
            return try system.renameToFreeName(temporary, to: name, in: directory)
        } catch {
            guard error.meansUnsupported else { throw error }
        }
        // Here the lock keeps other creations out, and only those.
        do throws(Errno) {
            _ = try system.status(of: name, in: directory)
        } catch {
            guard error == .noEntry else { throw error }
            return try system.rename(temporary, to: name, in: directory)
        }
        throw .exists
    }

    /// Removes the temporary file of a save that failed; what stays is removed by the next transaction.
    borrowing func removeTemporary(_ name: String) {
        let (system, directory) = (system, place.directory.number)
        try? system.uninterrupted(.createTemporary) { () throws(Errno) in
            try system.remove(name, in: directory)
        }
    }

    /// Makes the new name last.
    borrowing func synchronizeDirectory(_ warnings: inout [ReplacementReport.Warning]) throws(StorageError) {
        do throws(StorageError) {
            let alone = try system.synchronizeOnce(place.directory.number, .syncDirectory)
            if !alone && !warnings.contains(.syncedEverything) { warnings.append(.syncedEverything) }
        } catch {
            throw StorageError(error.step, Errno(code: error.errno), .renamedButNotSynced)
        }
    }
}

/// The file of a save that is not yet in place.
struct TemporaryFile: ~Copyable {
    let name: String
    let file: Descriptor
}
