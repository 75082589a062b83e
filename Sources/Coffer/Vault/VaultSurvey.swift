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
    package var failure: VaultError? {
        switch judgement {
        case .admitted: nil
        case .refused(let failure): failure
        }
    }
    private let judgement: Judgement
    private let surroundings: VaultSurroundings

    private enum Judgement: ~Copyable {
        case admitted(VaultLoading.LoadedFile)
        case refused(VaultError)
    }

    /// Reads the file of a vault. It takes no lock and writes nothing.
    ///
    /// - Throws: `noVault`, `ioError`, `notEnoughMemory`: all else is said of the file.
    fileprivate static func of(
        _ store: VaultStore, _ surroundings: VaultSurroundings
    ) throws(VaultError) -> VaultSurvey {
        let path = store.path
        let found = try translating(path) { () throws(StorageError) in
            try store.reading { (reader) throws(StorageError) in try Found(reader) }
        }
        switch consume found {
        case .ends(let ends, let refusal):
            let header = try translating(path) { () throws(VaultFileError) in
                try HeaderSurvey(
                    size: ends.size, prefix: ends.prefix.bytes, suffix: ends.suffix.bytes, isCheckGood: nil)
            }
            return VaultSurvey(
                path: path, size: ends.size, header: header, judgement: .refused(VaultError(refusal, path: path)),
                surroundings: surroundings)
        case .whole(let stored):
            let size = stored.bytes.count
            switch header(of: stored) {
            case .failure(let refusal):
                return VaultSurvey(
                    path: path, size: size, header: try survey(of: stored, refusal, path: path),
                    judgement: .refused(VaultError(refusal, path: path)), surroundings: surroundings)
            case .success(let header):
                let fields = try survey(of: stored, nil, path: path)
                return VaultSurvey(
                    path: path, size: size, header: fields,
                    judgement: .admitted(VaultLoading.LoadedFile(stored, header: header, path: path)),
                    surroundings: surroundings)
            }
        }
    }

    /// What one opening of the file gives.
    private enum Found: ~Copyable {
        case whole(StoredFile)
        /// Of a file that is not read as a whole, since its size or first bytes are enough to refuse it.
        case ends(FileEnds, VaultFileError)

        init(_ reader: borrowing VaultReader) throws(StorageError) {
            let prefix = try reader.readPrefix()
            do throws(VaultFileError) {
                try VaultLoading.admit(prefix.bytes, reader.size)
            } catch {
                // Of somebody else's file no more is looked at than might be a magic.
                let isVault = error != .notAVault
                self = .ends(
                    try reader.readEnds(
                        prefix: isVault ? HeaderSurvey.prefixLength : VaultHeader.magic.count,
                        suffix: isVault ? VaultHeader.checkLength : 0), error)
                return
            }
            self = .whole(try reader.readAll())
        }
    }

    private static func header(of file: borrowing StoredFile) -> Result<VaultHeader, VaultFileError> {
        do throws(VaultFileError) { return .success(try VaultHeader(file.bytes.bytes)) } catch {
            return .failure(error)
        }
    }

    private static func survey(
        of file: borrowing StoredFile, _ refusal: VaultFileError?, path: String
    ) throws(VaultError) -> HeaderSurvey {
        let bytes = file.bytes.bytes
        let count = bytes.byteCount
        return try translating(path) { () throws(VaultFileError) in
            if let refusal, refusal == .memory { throw refusal }
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
        switch judgement {
        case .refused(let failure): throw failure
        case .admitted(let file):
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
    /// What the settings and the metadata are like.
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
