internal import SecureMemory
package import VaultFile

/// A vault's file as it stands, for those who look into it: each of its fields, and why a reader refuses it.
///
/// It holds the bytes that it describes, so what is opened later is the same file.
package struct VaultSurvey: ~Copyable {
    /// The path of the file.
    package let path: String
    /// The number of its bytes.
    package let size: Int
    /// Its fields, as far as they can be read.
    package let header: HeaderSurvey
    /// What a reader answers to the file without a passphrase; nil when it would ask for that now.
    package let failure: VaultError?
    private let loaded: Loaded
    private let surroundings: VaultSurroundings

    private enum Loaded: ~Copyable {
        case whole(VaultLoading.LoadedFile)
        case refused
    }

    /// Reads the file of a vault. It takes no lock and writes nothing.
    ///
    /// - Throws: `noVault`, `ioError`, `notEnoughMemory`: all else is said of the file.
    fileprivate static func of(
        _ store: VaultStore, _ surroundings: VaultSurroundings
    ) throws(VaultError) -> VaultSurvey {
        let path = store.path
        switch try read(store) {
        case .refused(let refusal):
            let reader = try translating(path) { () throws(StorageError) in try store.open() }
            let (header, size) = try survey(of: reader, path: path)
            return VaultSurvey(
                path: path, size: size, header: header, failure: VaultError(refusal, path: path), loaded: .refused,
                surroundings: surroundings)
        case .whole(let stored):
            let size = stored.bytes.count
            let refusal = refusal(of: stored)
            if let refusal, refusal == .memory { throw VaultError(refusal, path: path) }
            let header = try survey(of: stored, refusal, path: path)
            return VaultSurvey(
                path: path, size: size, header: header, failure: refusal.map { VaultError($0, path: path) },
                loaded: refusal == nil ? .whole(try VaultLoading.LoadedFile(stored, path: path)) : .refused,
                surroundings: surroundings)
        }
    }

    private enum Found: ~Copyable {
        case whole(StoredFile)
        /// A file that is not read as a whole: its size or first bytes are enough to refuse it.
        case refused(VaultFileError)
    }

    private static func read(_ store: VaultStore) throws(VaultError) -> Found {
        do throws(ReadError<VaultFileError>) {
            return .whole(try store.read(admit: VaultLoading.admit))
        } catch {
            guard case .refused(let refusal) = error else { throw VaultLoading.failure(error, path: store.path) }
            return .refused(refusal)
        }
    }

    private static func refusal(of file: borrowing StoredFile) -> VaultFileError? {
        do throws(VaultFileError) {
            _ = try VaultHeader(file.bytes.bytes)
            return nil
        } catch {
            return error
        }
    }

    private static func survey(
        of file: borrowing StoredFile, _ refusal: VaultFileError?, path: String
    ) throws(VaultError) -> HeaderSurvey {
        let bytes = file.bytes.bytes
        let count = bytes.byteCount
        return try translating(path) { () throws(VaultFileError) in
            // Every refusal but one comes after the check was found good.
            var isCheckGood = true
            if case .damaged = refusal {
                let body = bytes.extracting(first: count - VaultHeader.checkLength)
                isCheckGood =
                    try VaultHeader.check(of: body) == bytes.array(count - VaultHeader.checkLength..<count)
            }
            return try HeaderSurvey(
                size: count, prefix: bytes.extracting(first: min(count, HeaderSurvey.prefixLength)),
                suffix: bytes.extracting(last: VaultHeader.checkLength), isCheckGood: isCheckGood)
        }
    }

    private static func survey(
        of reader: borrowing VaultReader, path: String
    ) throws(VaultError) -> (HeaderSurvey, Int) {
        let prefix = try translating(path) { () throws(StorageError) in
            try reader.readPrefix(HeaderSurvey.prefixLength)
        }
        let suffix = try translating(path) { () throws(StorageError) in try reader.readSuffix(VaultHeader.checkLength) }
        let size = reader.size
        let header = try translating(path) { () throws(VaultFileError) in
            try HeaderSurvey(size: size, prefix: prefix.bytes, suffix: suffix.bytes, isCheckGood: nil)
        }
        return (header, size)
    }

    /// Opens the file that was read, which changes nothing and remembers nothing, and counts what is in it.
    ///
    /// Specified in the file format, *Reading order*, steps 7 to 10.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes.
    ///   - allowingAnyMemory: whether the file may ask for more than half of this machine's memory.
    /// - Returns: sizes and numbers, and no name or value.
    /// - Throws: what reading the file said; `refused`, `limitExceeded`, `notEnoughMemory`, `wrongPassphrase`, `tampered`,
    ///   `invalidContents`.
    package borrowing func contents(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool
    ) throws(VaultError) -> ContentsSummary {
        switch loaded {
        case .refused: throw failure ?? .locked
        case .whole(let file):
            let passphrase = try Passphrase(passphrase)
            let available = allowingAnyMemory ? nil : surroundings.availableMemory()
            let derivation = file.header.keyDerivation
            let key = try translating(path) { () throws(VaultFileError) in
                try passphrase.deriveKey(derivation, available: available)
            }
            let plaintext = try file.snapshot(with: key).plaintext
            return try translating(path) { () throws(VaultFileError) in
                ContentsSummary(
                    vaultID: plaintext.vaultID, generation: plaintext.generation, numbers: try plaintext.summary(),
                    memoryProtection: plaintext.memoryProtection)
            }
        }
    }
}

/// What a passphrase shows of a vault beside its settings.
package struct ContentsSummary: Sendable {
    /// 16 bytes, the same for the life of the vault.
    package let vaultID: [UInt8]
    /// The number of the save.
    package let generation: UInt64
    package let numbers: PlaintextSummary
    /// How the contents stood in this process's memory while they were counted, if they did.
    package let memoryProtection: MemoryProtection?

    /// Takes what was counted.
    package init(
        vaultID: [UInt8], generation: UInt64, numbers: PlaintextSummary, memoryProtection: MemoryProtection? = nil
    ) {
        self.vaultID = vaultID
        self.generation = generation
        self.numbers = numbers
        self.memoryProtection = memoryProtection
    }
}

extension Vault {
    /// Reads the file for a look at each of its fields, also when it is damaged or of another version.
    ///
    /// - Returns: the file.
    /// - Throws: `noVault`, `ioError`, `notEnoughMemory`.
    package func survey() throws(VaultError) -> VaultSurvey { try VaultSurvey.of(try store(), surroundings) }
}
