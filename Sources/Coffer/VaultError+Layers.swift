internal import PropertyLists
internal import SecureMemory
internal import VaultFile

// Each layer below has a small error of its own; here they become the public one.

extension VaultError {
    init(_ error: VaultFileError, path: String) {
        self =
            switch error {
            case .notAVault: .notAVault(path: path)
            case .unsupportedVersion(let version): .unsupportedVersion(version)
            case .unsupportedFeature(let field, let value): .unsupportedFeature(field: field, value: value)
            case .damaged(let reason): .damaged(reason: reason)
            case .limitExceeded(let field, let value, let bound):
                .limitExceeded(field: field, value: value, bound: bound)
            case .notEnoughMemory(let memoryKiB): .notEnoughMemory(memoryKiB: memoryKiB)
            case .wrongPassphrase: .wrongPassphrase
            case .tampered: .tampered
            case .invalidContents(let reason): .invalidContents(reason: reason)
            case .noMatchingSlot: .noMatchingSlot
            case .refused(let reason): .refused(reason: reason)
            case .memory: .notEnoughMemory(memoryKiB: 0)
            }
    }

    init(_ error: StorageError, path: String) {
        self =
            switch error.kind {
            case .noVault: .noVault(path: path)
            case .alreadyExists: .alreadyExists(path: path)
            case .hardLinked:
                .refused(reason: "\(path) has a second name (a hard link), which a save would leave behind")
            case .foreignOwner: .refused(reason: "\(path) belongs to another user")
            case .changedMeanwhile: .conflict
            case .system, .notARegularFile, .lockHeld, .changedWhileReading, .nameTooLong, .verificationFailed:
                .ioError(step: error.step.rawValue, errno: error.errno, path: path)
            case .renamedButNotSynced:
                .ioError(
                    step: "\(error.step.rawValue), so the save, which is in place, may not survive a power cut",
                    errno: error.errno, path: path)
            }
    }

    init(_ error: PropertyListError) {
        self =
            switch error.code {
            case .outOfMemory: .notEnoughMemory(memoryKiB: 0)
            case .tooDeep:
                .limitExceeded(
                    field: "depth", value: UInt64(Limits.settingsDepth) + 1, bound: UInt64(Limits.settingsDepth))
            case .tooLarge:
                .limitExceeded(
                    field: "size", value: UInt64(Limits.plaintext.upperBound) + 1,
                    bound: UInt64(Limits.plaintext.upperBound))
            default: .refused(reason: "the value cannot be stored as a setting")
            }
    }

    init(_ error: SecureMemoryError) { self = .notEnoughMemory(memoryKiB: 0) }
}

/// Runs a step of a lower layer with its failures made public.
func translating<Result: ~Copyable>(
    _ path: String, _ body: () throws(VaultFileError) -> Result
) throws(VaultError) -> Result {
    do throws(VaultFileError) { return try body() } catch { throw VaultError(error, path: path) }
}

func translating<Result: ~Copyable>(
    _ path: String, _ body: () throws(StorageError) -> Result
) throws(VaultError) -> Result {
    do throws(StorageError) { return try body() } catch { throw VaultError(error, path: path) }
}

func translating<Result: ~Copyable>(_ body: () throws(PropertyListError) -> Result) throws(VaultError) -> Result {
    do throws(PropertyListError) { return try body() } catch { throw VaultError(error) }
}

func translating<Result: ~Copyable>(_ body: () throws(SecureMemoryError) -> Result) throws(VaultError) -> Result {
    do throws(SecureMemoryError) { return try body() } catch { throw VaultError(error) }
}
