/// The words that a vector file's header may have, in the order in which they stand.
package enum VectorWord: String, CaseIterable, Sendable {
    case comment, expect, field, value, bound
    case passphrase
    case passphraseHex = "passphrase-hex"
    case recoveryCode = "recovery-code"
    case appendZeros = "append-zeros"
    case knownVaultID = "known-vault-id"
    case knownGeneration = "known-generation"
    case knownCheck = "known-check"
    case knownCommitment = "known-commitment"
    case knownReplaced = "known-replaced"
    case knownPathID = "known-path-id"
    case seed, fingerprint
    case recipientSecret = "recipient-secret"
    case recipientPublic = "recipient-public"
    case slot
    case slotKey = "slot-key"
    case master, commitment
    case sealingKey = "sealing-key"
    case nonce, random32, check
    case vaultID = "vault-id"
    case generation
    case settingsLength = "settings-length"
    case metadataLength = "metadata-length"
    case paddingLength = "padding-length"
    case settings, metadata
    case settingsJSON = "settings-json"
    case metadataJSON = "metadata-json"

    /// What stands after the word.
    enum Form: Equatable {
        case text
        /// Digits, without any that mean nothing.
        case decimal
        /// Bytes in small hexadecimal digits: so many, or any number but none.
        case hex(Int?)
        /// A property list in JSON.
        case json
    }

    var form: Form {
        switch self {
        case .comment, .expect, .field, .passphrase, .recoveryCode: .text
        case .value, .bound, .appendZeros, .knownGeneration, .slot, .generation, .settingsLength, .metadataLength,
            .paddingLength:
            .decimal
        case .passphraseHex: .hex(nil)
        case .knownVaultID, .knownPathID, .seed, .fingerprint, .vaultID: .hex(16)
        case .nonce: .hex(24)
        case .knownCheck, .knownCommitment, .knownReplaced, .recipientSecret, .recipientPublic, .slotKey, .master,
            .commitment, .sealingKey, .random32, .check, .settings, .metadata:
            .hex(32)
        case .settingsJSON, .metadataJSON: .json
        }
    }

    var mayRepeat: Bool { self == .knownReplaced }
}

/// What must come of a vector: nothing bad, or a failure class by its name in the file format.
package enum VectorExpectation: String, CaseIterable, Sendable {
    case success
    case notAVault, unsupportedVersion, unsupportedFeature, damaged, limitExceeded, refused, noMatchingSlot
    case wrongPassphrase, tampered, invalidContents
    case rolledBack, forked, replaced, rekeyed

    /// Whether the master key is known to be right by then.
    var hasMaster: Bool { self == .tampered || hasPlaintext }
    /// Whether the box opens.
    var hasPlaintext: Bool { self == .invalidContents || hasContents }
    /// Whether the contents are found good.
    var hasContents: Bool { self == .success || isOfFreshness }

    var isOfFreshness: Bool {
        switch self {
        case .rolledBack, .forked, .replaced, .rekeyed: true
        default: false
        }
    }
}

extension VectorFile {
    /// Whether a word must be there, may be there, or must not.
    enum Need { case required, allowed, forbidden }

    /// Says what the header of this file must have, from what it has to come to.
    func need(of word: VectorWord) -> Need {
        let isByCode = has(.recoveryCode)
        switch word {
        case .comment, .expect: return .required
        case .field: return expectation == .limitExceeded || expectation == .unsupportedFeature ? .required : .forbidden
        case .value:
            let classes: [VectorExpectation] = [.limitExceeded, .unsupportedFeature, .unsupportedVersion]
            return classes.contains(expectation) ? .required : .forbidden
        case .bound: return expectation == .limitExceeded ? .required : .forbidden
        // Of these three there is always one, which is looked at apart.
        case .passphrase, .passphraseHex, .recoveryCode: return .allowed
        case .appendZeros, .knownVaultID, .knownPathID: return .allowed
        case .knownGeneration, .knownCheck, .knownCommitment: return has(.knownVaultID) ? .required : .forbidden
        case .knownReplaced: return has(.knownVaultID) ? .allowed : .forbidden
        case .seed, .fingerprint: return isByCode && expectation != .refused ? .required : .forbidden
        case .recipientSecret, .recipientPublic, .slot, .slotKey:
            guard isByCode, expectation.hasMaster else { return .forbidden }
            return expectation == .success ? .required : .allowed
        case .master, .commitment: return expectation.hasMaster ? .required : .forbidden
        case .sealingKey, .nonce: return expectation.hasPlaintext ? .required : .forbidden
        case .random32: return expectation.hasPlaintext ? .allowed : .forbidden
        case .vaultID, .generation: return expectation.hasContents ? .required : .forbidden
        case .check, .settingsLength, .metadataLength, .paddingLength, .settings:
            return expectation == .success ? .required : .forbidden
        case .metadata: return (number(.metadataLength) ?? 0) > 0 ? .required : .forbidden
        case .settingsJSON: return Self.needOfJSON(number(.settingsLength))
        case .metadataJSON: return Self.needOfJSON(number(.metadataLength))
        }
    }

    private static func needOfJSON(_ length: UInt64?) -> Need {
        guard let length, length > 0 else { return .forbidden }
        return length <= 4_096 ? .required : .allowed
    }
}
