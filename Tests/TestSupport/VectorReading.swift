import SecureMemory
package import VaultFile

/// How far a reader comes with a vector, step by step in the reading order, and what it has by then.
package struct VectorReading {
    package private(set) var seed: [UInt8]?
    package private(set) var fingerprint: [UInt8]?
    package private(set) var header: VaultHeader?
    /// The key, once it is known to be right.
    package private(set) var key: MasterKey?
    package private(set) var contents: VaultPlaintext?
    package private(set) var failure: VaultFileError?
    package private(set) var finding: FreshnessFinding?

    /// Where the vault of a vector is said to stand.
    package static let path: [UInt8] = Array("/home/alice/test.coffer".utf8)

    /// Reads the vault of a vector.
    ///
    /// - Parameters:
    ///   - vector: the vector.
    ///   - vault: its bytes, with the zeros.
    ///   - passphrase: another passphrase than the vector's.
    package init(_ vector: VectorFile, vault: [UInt8], passphrase: [UInt8]? = nil) throws {
        do throws(VaultFileError) {
            try read(vector, vault, passphrase ?? vector.passphrase)
        } catch {
            failure = error
        }
        guard let header, let contents else { return }
        let sighting = FreshnessSighting(header: header, plaintext: contents)
        let known = try vector.knownState(at: Self.path)
        finding = FreshnessState.finding(
            sighting, at: Self.path, isOpenedByCode: vector.has(.recoveryCode), before: known
        ) { known }
    }

    private mutating func read(
        _ vector: VectorFile, _ vault: [UInt8], _ passphrase: [UInt8]?
    ) throws(VaultFileError) {
        if let text = vector.text(.recoveryCode) {
            // A mistyped code is refused before the file is read.
            let code = try RecoveryCode(Array(text.utf8).rawSpan)
            (seed, fingerprint) = (code.seed.bytes.array, code.ownerFingerprint)
        }
        let header = try VaultHeader(vault.rawSpan)
        self.header = header
        let key: MasterKey
        if let seed, let fingerprint {
            let recipient = try Recipient(seed: seed.rawSpan, ownerFingerprint: fingerprint)
            key = try MasterKey.find(for: recipient, in: header)
        } else {
            key = try DerivedKeys.key(of: passphrase ?? [], header.keyDerivation)
        }
        if try key.matches(header) { self.key = key }
        contents = try SealedVault.open(vault.rawSpan, header: header, key: key)
    }

    /// What came of it, by its name in the file format.
    package var outcome: String { failure?.className ?? finding?.className ?? "success" }

    /// The numbers that the failure names.
    package var numbers: (field: String?, value: UInt64?, bound: UInt64?) {
        switch failure {
        case .unsupportedVersion(let version): (nil, UInt64(version), nil)
        case .unsupportedFeature(let field, let value): (field, value, nil)
        case .limitExceeded(let field, let value, let bound): (field, value, bound)
        default: (nil, nil, nil)
        }
    }
}

extension VaultFileError {
    /// The class by its name in the file format.
    package var className: String {
        switch self {
        case .notAVault: "notAVault"
        case .unsupportedVersion: "unsupportedVersion"
        case .unsupportedFeature: "unsupportedFeature"
        case .damaged: "damaged"
        case .limitExceeded: "limitExceeded"
        case .notEnoughMemory: "notEnoughMemory"
        case .wrongPassphrase: "wrongPassphrase"
        case .tampered: "tampered"
        case .invalidContents: "invalidContents"
        case .noMatchingSlot: "noMatchingSlot"
        case .refused: "refused"
        case .memory: "memory"
        }
    }
}

extension FreshnessFinding {
    /// The class by its name in the file format.
    package var className: String {
        switch self {
        case .replaced: "replaced"
        case .rolledBack: "rolledBack"
        case .forked: "forked"
        case .rekeyed: "rekeyed"
        }
    }
}

extension VectorFile {
    /// The freshness state that the reader of this vector has.
    ///
    /// - Parameter path: where the vault stands.
    package func knownState(at path: [UInt8]) throws -> FreshnessState {
        var (vaults, paths) = ([PlainValue](), [PlainValue]())
        if let id = bytes(.knownVaultID), let check = bytes(.knownCheck), let commitment = bytes(.knownCommitment),
            let generation = number(.knownGeneration)
        {
            vaults.append(
                .dictionary([
                    Array("id".utf8): .data(id), Array("generation".utf8): .integer(Int64(clamping: generation)),
                    Array("check".utf8): .data(check), Array("commitment".utf8): .data(commitment),
                    Array("replaced".utf8): .array(allBytes(.knownReplaced).map { .data($0) }),
                ]))
        }
        if let id = bytes(.knownPathID) {
            paths.append(.dictionary([Array("id".utf8): .data(id), Array("path".utf8): .data(path)]))
        }
        let list = try PlainValue.dictionary([
            Array("version".utf8): .integer(1), Array("vaults".utf8): .array(vaults),
            Array("paths".utf8): .array(paths),
        ]).list()
        guard let state = FreshnessState(list: list.rawSpan) else {
            throw Malformed(file: name, line: 0, reason: "the known words make no state")
        }
        return state
    }
}
