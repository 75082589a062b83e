internal import VaultFile

/// What a vault's file says to anybody, without a passphrase.
///
/// Specified in the file format, *Bytes*.
public struct VaultInspection: Hashable, Sendable {
    /// The format version.
    public let version: Int
    /// What a guess costs.
    public let cost: KeyDerivationCost
    /// 16 bytes, in hex.
    public let salt: String
    /// 24 bytes, in hex.
    public let nonce: String
    /// 32 bytes, in hex: what the key commits to.
    public let commitment: String
    /// 32 bytes, in hex: the check against damage.
    public let check: String
    /// The types of the slots in their order; 1 is a recovery slot.
    public let slotTypes: [Int]
    /// The header's length in bytes, slots included.
    public let headerLength: Int
    /// The length of what is sealed in bytes, padding included: all that the file says of its contents.
    public let plaintextLength: Int
    /// The length of the file in bytes.
    public let fileLength: Int

    init(_ header: VaultHeader) {
        version = 1
        cost = KeyDerivationCost(header.keyDerivation)
        salt = Self.hex(header.keyDerivation.salt)
        nonce = Self.hex(header.nonce)
        commitment = Self.hex(header.commitment)
        check = Self.hex(header.check)
        slotTypes = header.slots.map { Int($0.type) }
        headerLength = header.length
        plaintextLength = header.plaintextLength
        fileLength = header.fileSize
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Vault {
    /// Reads the file's header and checks the file for damage, without a passphrase.
    ///
    /// Specified in the file format, *Reading order*, steps 1 to 6.
    ///
    /// - Returns: what the header says.
    /// - Throws: `noVault`, `notAVault`, `unsupportedVersion`, `unsupportedFeature`, `damaged`, `limitExceeded`,
    ///   `ioError`.
    public func inspect() throws(VaultError) -> VaultInspection {
        VaultInspection(try VaultLoading.load(try store()).header)
    }

    /// Whether anything stands at the vault's path: to tell a first run, on which a person is asked twice.
    ///
    /// Specified in the file format, *Reading order*, step 1. What stands there need not be a vault.
    ///
    /// - Returns: false if nothing does.
    /// - Throws: `refused` and `ioError` as ``path()``; `ioError` when it cannot be told.
    public func exists() throws(VaultError) -> Bool {
        let store = try store()
        do throws(StorageError) {
            _ = try store.open()
            return true
        } catch {
            switch error.kind {
            case .noVault: return false
            case .notARegularFile: return true
            default: throw VaultError(error, path: store.path)
            }
        }
    }
}
