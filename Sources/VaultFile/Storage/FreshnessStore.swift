internal import SecureMemory

/// The file of the freshness state: one for each user, shared by all programs of theirs.
///
/// Reading takes no lock and writes nothing. Lost, damaged and unreadable state is state that knows nothing.
package struct FreshnessStore: Sendable {
    /// The path of the file.
    package let path: String
    private let store: VaultStore
    private let system: any SystemCalls

    private static let name = "freshness"
    private static let directory = "coffer"
    /// How long a change waits for others. They take a moment each; nobody's save should hang on this one.
    private static let timeout = Duration.seconds(5)

    /// Names the file.
    ///
    /// - Parameters:
    ///   - stateDirectory: the user's directory for state, in which one of ours is made as needed, mode 0700.
    ///   - system: makes the system calls.
    package init(stateDirectory: String, system: any SystemCalls = LinuxSystemCalls()) {
        path = "\(stateDirectory)/\(Self.directory)/\(Self.name)"
        store = VaultStore(path: path, system: system)
        self.system = system
    }

    /// Reads the state as it is now.
    ///
    /// - Returns: the state; one that knows nothing when there is no file of ours, or none that can be read.
    package func read() -> FreshnessState {
        do {
            let reader = try store.open()
            // What another user wrote is not what this one saw.
            guard reader.status.owner == system.effectiveUser() else { return FreshnessState() }
            let file = try store.read(admit: Self.admit)
            return FreshnessState(file: file.bytes.bytes) ?? FreshnessState()
        } catch {
            return FreshnessState()
        }
    }

    /// Changes the state under its lock, on top of what others have recorded meanwhile.
    ///
    /// A file that is no state, for whatever reason, is replaced; one that cannot be read is left alone, and so is a
    /// vault that a link leads to.
    ///
    /// - Parameter change: changes the state; nothing is written if it leaves it as it is.
    /// - Throws: a failure of storage. The state is then as it was.
    package func update(_ change: (inout FreshnessState) -> Void) throws(StorageError) {
        let transaction = try begin()
        var state = try Self.read(transaction)
        let before = state
        change(&state)
        guard state != before else { return }
        let bytes = try state.file()
        do throws(StorageError) {
            // The format wants 0600, whatever mode the file was given meanwhile.
            _ = try transaction.replace(with: bytes.rawSpan, keepsAccess: false)
        } catch {
            // In force; what a power cut would take back is state that is lost, which is no failure.
            guard error.kind == .renamedButNotSynced else { throw error }
        }
    }

    private func begin() throws(StorageError) -> VaultTransaction {
        // Others make the file, or remove it, at the same time as we do.
        for _ in 0..<8 {
            do throws(StorageError) {
                return try store.begin(.update, timeout: Self.timeout)
            } catch {
                guard error.kind == .noVault else { throw error }
            }
            try store.createDirectories()
            do throws(StorageError) {
                return try store.begin(.creation, timeout: Self.timeout)
            } catch {
                guard error.kind == .alreadyExists else { throw error }
            }
        }
        return try store.begin(.update, timeout: Self.timeout)
    }

    private static func read(_ transaction: borrowing VaultTransaction) throws(StorageError) -> FreshnessState {
        guard transaction.purpose == .update else { return FreshnessState() }
        do throws(ReadError<Refused>) {
            let file = try transaction.read(admit: admit)
            return FreshnessState(file: file.bytes.bytes) ?? FreshnessState()
        } catch {
            switch error {
            case .storage(let failure): throw failure
            case .refused(.isVault): throw StorageError(.checkVault, .exists)
            case .refused(.isTooLarge): return FreshnessState()
            }
        }
    }

    private enum Refused: Error { case isTooLarge, isVault }

    private static func admit(_ prefix: RawSpan, _ size: Int) throws(Refused) {
        guard !VaultHeader.hasMagic(prefix) else { throw .isVault }
        guard size <= FreshnessState.maximumFileSize else { throw .isTooLarge }
    }
}
