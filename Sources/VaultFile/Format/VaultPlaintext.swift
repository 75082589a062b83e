internal import PropertyLists
package import SecureMemory
internal import Synchronization

/// A decrypted vault: one read-only guarded buffer, wiped when its last holder lets go.
///
/// Specified in the file format, *Bytes* and *Reading order*, step 10.
package final class VaultPlaintext: Sendable {
    /// The inner header: vault id, generation and the two lengths.
    package static let headerLength = 32
    package static let idLength = 16

    /// Stays the same for the life of a vault.
    package let vaultID: [UInt8]
    /// 1 when the vault was created, and one more with each save.
    package let generation: UInt64
    private let plaintext: GuardedBuffer
    private let settingsEnd: Int
    private let metadataEnd: Int
    /// Whether the ages belong to the settings, once that is known: asking costs a digest of the settings.
    private let currency: Atomic<Currency>

    enum Currency: UInt8, AtomicRepresentable { case unknown, current, stale }

    /// Takes over a plaintext after checking all of it.
    ///
    /// - Throws: `invalidContents`.
    package convenience init(_ plaintext: consuming GuardedBuffer) throws(VaultFileError) {
        let layout = try Self.checkedLayout(of: plaintext)
        self.init(plaintext, layout: layout)
    }

    /// Takes over a plaintext that was checked, or has just been composed.
    init(_ plaintext: consuming GuardedBuffer, layout: Layout, _ currency: Currency = .unknown) {
        self.currency = Atomic(currency)
        plaintext.protect(.read)
        self.plaintext = plaintext
        vaultID = layout.vaultID
        generation = layout.generation
        settingsEnd = layout.settingsEnd
        metadataEnd = layout.metadataEnd
    }

    /// Whether a fork wiped the contents: this process never had them.
    package var isForeign: Bool { plaintext.isForeign }

    /// How well the contents are protected on this machine.
    package var memoryProtection: MemoryProtection { MemoryProtection(of: plaintext) }

    /// All of it, as it is sealed.
    ///
    /// The buffer is a constant of this object, so a borrow of the object keeps its bytes alive.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            let span = unsafe RawSpan(_unsafeBytes: plaintext.withUnsafeBytes { unsafe $0 })
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The settings: one canonical dictionary.
    package var settings: RawSpan {
        @_lifetime(borrow self)
        get { bytes.extracting(Self.headerLength..<settingsEnd) }
    }

    /// The metadata: one canonical dictionary, or nothing.
    package var metadata: RawSpan {
        @_lifetime(borrow self)
        get { bytes.extracting(settingsEnd..<metadataEnd) }
    }

    /// Whether `modified` is there and belongs to the settings: if not, ages are unknown and last values ignored.
    package func hasCurrentAges() throws(VaultFileError) -> Bool {
        switch currency.load(ordering: .relaxed) {
        case .current: return true
        case .stale: return false
        case .unknown:
            let isCurrent = try Metadata.isCurrent(metadata, settings: settings)
            currency.store(isCurrent ? .current : .stale, ordering: .relaxed)
            return isCurrent
        }
    }

    struct Layout {
        let vaultID: [UInt8]
        let generation: UInt64
        let settingsEnd: Int
        let metadataEnd: Int
    }

    private static func checkedLayout(of plaintext: borrowing GuardedBuffer) throws(VaultFileError) -> Layout {
        let bytes = plaintext.bytes
        let generation = bytes.littleEndian(16, as: UInt64.self)
        guard (1...Limits.generation).contains(generation) else {
            throw .invalidContents(reason: "the generation is out of range")
        }
        let settingsLength = Int(bytes.littleEndian(24, as: UInt32.self))
        let metadataEnd = headerLength + settingsLength + Int(bytes.littleEndian(28, as: UInt32.self))
        guard settingsLength > 0, metadataEnd <= bytes.byteCount, Padding.padded(metadataEnd) == bytes.byteCount else {
            throw .invalidContents(reason: "the inner lengths do not fit the plaintext")
        }
        guard bytes.extracting(metadataEnd..<bytes.byteCount).isAllZeros else {
            throw .invalidContents(reason: "the padding is not all zeros")
        }
        let settings = bytes.extracting(headerLength..<headerLength + settingsLength)
        do throws(PropertyListError) {
            try CanonicalCheck.check(settings, maximumDepth: Limits.settingsDepth, names: .settings)
        } catch {
            throw error.code == .outOfMemory
                ? .memory : .invalidContents(reason: "the settings are no canonical dictionary")
        }
        if metadataEnd > headerLength + settingsLength {
            try Metadata.check(bytes.extracting(headerLength + settingsLength..<metadataEnd), settings: settings)
        }
        return Layout(
            vaultID: bytes.array(0..<idLength), generation: generation,
            settingsEnd: headerLength + settingsLength, metadataEnd: metadataEnd)
    }
}

extension RawSpan {
    /// Whether there is nothing but zeros.
    fileprivate var isAllZeros: Bool {
        var union: UInt8 = 0
        for offset in 0..<byteCount { union |= self[offset] }
        return union == 0
    }
}
