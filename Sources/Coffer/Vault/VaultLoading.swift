internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// How a file becomes a snapshot: the reading order of the format, with the paths and errors of this module.
enum VaultLoading {
    /// A whole file, admitted by its size and header.
    struct LoadedFile: ~Copyable {
        let file: StoredFile
        let header: VaultHeader
        let path: String

        init(_ file: consuming StoredFile, path: String) throws(VaultError) {
            let header = try Self.header(of: file, path: path)
            self.init(file, header: header, path: path)
        }

        /// Takes over a file whose header was read: reading it again would digest the whole file again.
        init(_ file: consuming StoredFile, header: VaultHeader, path: String) {
            self.file = file
            self.header = header
            self.path = path
        }

        private static func header(of file: borrowing StoredFile, path: String) throws(VaultError) -> VaultHeader {
            try translating(path) { () throws(VaultFileError) in try VaultHeader(file.bytes.bytes) }
        }

        /// Derives the key of a passphrase with this file's cost and salt. Whether it fits is not known yet.
        ///
        /// - Throws: `refused`, `limitExceeded` or `notEnoughMemory`.
        borrowing func key(of passphrase: Passphrase, available: UInt64?) throws(VaultError) -> MasterKey {
            let derivation = header.keyDerivation
            return try translating(path) { () throws(VaultFileError) in
                try passphrase.deriveKey(derivation, available: available)
            }
        }

        /// Decrypts and checks the contents.
        ///
        /// - Throws: `wrongPassphrase`, `tampered` or `invalidContents`.
        borrowing func snapshot(with key: MasterKey) throws(VaultError) -> Snapshot {
            let plaintext = try translating(path) { () throws(VaultFileError) in
                try SealedVault.open(file.bytes.bytes, header: header, key: key)
            }
            return Snapshot(header: header, plaintext: plaintext)
        }

        /// Decrypts what another process may have saved since a generation was seen.
        ///
        /// - Throws: `conflict` when the key no longer fits; `replaced`, `rolledBack` or `forked` when the file does
        ///   not follow what was seen; `tampered` or `invalidContents`.
        borrowing func newerSnapshot(
            than seen: SeenGeneration?, with key: MasterKey
        ) throws(VaultError) -> Snapshot {
            let fits = try translating(path) { () throws(VaultFileError) in try key.matches(header) }
            guard fits else { throw .conflict }
            let snapshot = try self.snapshot(with: key)
            try seen?.check(snapshot)
            return snapshot
        }
    }

    /// Reads the file of a vault. It takes no lock and writes nothing.
    ///
    /// - Throws: the failures of the reading order's steps 1 to 6.
    static func load(_ store: VaultStore) throws(VaultError) -> LoadedFile {
        let file = try reading(store.path) { () throws(ReadError<VaultFileError>) in try store.read(admit: admit) }
        return try LoadedFile(file, path: store.path)
    }

    /// Reads the file again under the lock of a transaction.
    ///
    /// - Throws: the failures of the reading order's steps 1 to 6.
    static func load(_ transaction: borrowing VaultTransaction, path: String) throws(VaultError) -> LoadedFile {
        let file = try reading(path) { () throws(ReadError<VaultFileError>) in try transaction.read(admit: admit) }
        return try LoadedFile(file, path: path)
    }

    /// Refuses a file by its size and first bytes, before the rest is read.
    static func admit(_ prefix: RawSpan, _ size: Int) throws(VaultFileError) {
        try VaultHeader.admit(size: Int64(size), start: prefix)
    }

    private static func reading(
        _ path: String, _ body: () throws(ReadError<VaultFileError>) -> StoredFile
    ) throws(VaultError) -> StoredFile {
        do throws(ReadError<VaultFileError>) {
            return try body()
        } catch {
            switch error {
            case .storage(let failure): throw VaultError(failure, path: path)
            case .refused(let failure): throw VaultError(failure, path: path)
            }
        }
    }
}
