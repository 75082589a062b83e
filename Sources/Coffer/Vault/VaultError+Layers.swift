package import PropertyLists
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
            case .memory: .notEnoughMemory(memoryKiB: nil)
            }
    }

    init(_ error: StorageError, path: String) {
        self =
            switch error.kind {
            case .noVault: .noVault(path: path)
            case .alreadyExists: .alreadyExists(path: path)
            case .hardLinked:
                .refused(reason: "the file has a second name (a hard link), which a save would leave behind")
            case .foreignOwner: .refused(reason: "the file belongs to another user, who would lose it by a save")
            case .nameReserved:
                .refused(reason: "the file has the name of a temporary file, which a save of its namesake would remove")
            case .system, .notARegularFile, .lockHeld, .changedMeanwhile, .changedWhileReading, .nameTooLong,
                .verificationFailed:
                .ioError(step: error.step.rawValue, errno: error.errno, path: path)
            case .renamedButNotSynced: .savedButNotSynced(errno: error.errno, path: path)
            }
    }

    /// Says why a list could not be written.
    package init(_ error: PropertyListError, path: String) {
        self.init(VaultFileError(writing: error, maximumDepth: Limits.settingsDepth), path: path)
    }

    init(_ error: SecureMemoryError) { self = .notEnoughMemory(memoryKiB: nil) }
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

func translating<Result: ~Copyable>(
    _ path: String, _ body: () throws(PropertyListError) -> Result
) throws(VaultError) -> Result {
    do throws(PropertyListError) { return try body() } catch { throw VaultError(error, path: path) }
}

func translating<Result: ~Copyable>(_ body: () throws(SecureMemoryError) -> Result) throws(VaultError) -> Result {
    do throws(SecureMemoryError) { return try body() } catch { throw VaultError(error) }
}
