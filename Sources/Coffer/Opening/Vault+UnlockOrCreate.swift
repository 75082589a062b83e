public import SecureMemory
package import VaultFile

/// Whether a vault was there, or had to be made.
public enum VaultOpening: Hashable, Sendable {
    /// There was no vault: it was made with its first settings.
    case firstRun
    /// There was a vault, and nothing in it was changed.
    case existing
}

extension Vault {
    /// Unlocks the vault, or makes it with its first settings where there is none, and says which it was.
    ///
    /// Only an absent file is a first run: one that is damaged, or is something else, is an error and stays as it is. When
    /// another process makes the vault at the same time, one of the two makes it and the other unlocks that, so its
    /// passphrase counts; the closure may have run in both.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; the new vault's, if one is made. Let a person type it twice if
    ///     ``inspect()`` throws `noVault`: a mistyped one would be the vault's for ever.
    ///   - cost: how much work a guess is to be, of a vault that is made.
    ///   - allowingAnyMemory: whether the vault may ask for more than half of this machine's memory.
    ///   - acceptingUnexpectedFile: as in `unlock`, for a vault that is there.
    ///   - initial: sets the first settings, as in `create`. It is not called for a vault that is there.
    /// - Returns: `firstRun` if this call made the vault, else `existing`.
    /// - Throws: what `unlock` throws, but `noVault`; what `create` throws, but `alreadyExists`: so `savedButNotSynced`
    ///   when this call made the vault, but a power cut may undo that; what `initial` throws.
    @discardableResult
    public func unlockOrCreate(
        _ passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate, allowingAnyMemory: Bool = false,
        acceptingUnexpectedFile: Bool = false, initial: (inout Draft) throws -> Void
    ) throws -> VaultOpening {
        try unlockOrCreate(
            passphrase, derivation: try writableDerivation(cost), allowingAnyMemory: allowingAnyMemory,
            acceptingUnexpectedFile: acceptingUnexpectedFile, initial: initial)
    }

    /// Unlocks the vault, or makes an empty one where there is none, and says which it was.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; the new vault's, if one is made.
    ///   - cost: how much work a guess is to be, of a vault that is made.
    ///   - allowingAnyMemory: whether the vault may ask for more than half of this machine's memory.
    ///   - acceptingUnexpectedFile: as in `unlock`, for a vault that is there.
    /// - Returns: `firstRun` if this call made the vault, else `existing`.
    /// - Throws: what the form with first settings throws.
    @discardableResult
    public func unlockOrCreate(
        _ passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate, allowingAnyMemory: Bool = false,
        acceptingUnexpectedFile: Bool = false
    ) throws(VaultError) -> VaultOpening {
        let attempt = beginUnlock()
        let derivation = try writableDerivation(cost)
        if try unlockIfThere(passphrase, allowingAnyMemory, acceptingUnexpectedFile, attempt) { return .existing }
        if let creation = try creation(passphrase, derivation, allowingAnyMemory) {
            let contents = try creation.contents()
            if try isMade(Self.result(of: creation, contents), since: attempt) { return .firstRun }
        }
        try unlock(
            passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
            since: attempt)
        return .existing
    }

    /// Unlocks the vault, or makes it where there is none, deriving the key on a thread of its own.
    ///
    /// The closure runs where the caller does, on its actor; file and key are worked at on the other thread.
    ///
    /// - Parameters:
    ///   - passphrase: as in the other form.
    ///   - cost: as in the other form.
    ///   - allowingAnyMemory: as in the other form.
    ///   - acceptingUnexpectedFile: as in the other form.
    ///   - initial: as in the other form; leave it out for an empty vault.
    /// - Returns: what the other form returns.
    /// - Throws: what the other form throws.
    @discardableResult
    nonisolated(nonsending) public func unlockOrCreate(
        _ passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate, allowingAnyMemory: Bool = false,
        acceptingUnexpectedFile: Bool = false, initial: (inout Draft) throws -> Void = { _ in }
    ) async throws -> VaultOpening {
        try await unlockOrCreate(
            passphrase, derivation: try writableDerivation(cost), allowingAnyMemory: allowingAnyMemory,
            acceptingUnexpectedFile: acceptingUnexpectedFile, initial: initial)
    }

    /// Unlocks or makes a vault with a derivation that only the read limits bind: tests need cheap ones.
    @discardableResult
    package func unlockOrCreate(
        _ passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false,
        acceptingUnexpectedFile: Bool = false, initial: (inout Draft) throws -> Void
    ) throws -> VaultOpening {
        let attempt = beginUnlock()
        if try unlockIfThere(passphrase, allowingAnyMemory, acceptingUnexpectedFile, attempt) { return .existing }
        if let creation = try creation(passphrase, derivation, allowingAnyMemory) {
            let contents = try creation.contents(of: self, initial)
            if try isMade(Self.result(of: creation, contents), since: attempt) { return .firstRun }
        }
        try unlock(
            passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
            since: attempt)
        return .existing
    }

    /// Unlocks or makes a vault with such a derivation, on a thread of its own.
    @discardableResult
    nonisolated(nonsending) package func unlockOrCreate(
        _ passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false,
        acceptingUnexpectedFile: Bool = false, initial: (inout Draft) throws -> Void
    ) async throws -> VaultOpening {
        let attempt = beginUnlock()
        do throws(VaultError) {
            try await unlock(
                passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
                since: attempt)
            return .existing
        } catch {
            guard case .noVault = error else { throw error }
        }
        if let creation = try creation(passphrase, derivation, allowingAnyMemory) {
            let contents = try creation.contents(of: self, initial)
            let result = await DedicatedThread.run { Self.result(of: creation, contents) }
            if try isMade(result, since: attempt) { return .firstRun }
        }
        try await unlock(
            passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
            since: attempt)
        return .existing
    }

    // MARK: Steps, which take it as an answer that another makes the vault at the same time

    private func unlockIfThere(
        _ passphrase: borrowing Secret, _ allowingAnyMemory: Bool, _ acceptingUnexpectedFile: Bool,
        _ attempt: UnlockAttempt
    ) throws(VaultError) -> Bool {
        do throws(VaultError) {
            try unlock(
                passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
                since: attempt)
            return true
        } catch {
            guard case .noVault = error else { throw error }
            return false
        }
    }

    private func creation(
        _ passphrase: borrowing Secret, _ derivation: KeyDerivation, _ allowingAnyMemory: Bool
    ) throws(VaultError) -> Creation? {
        try refuseNesting()
        do throws(VaultError) {
            return try Creation(
                of: self, passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
        } catch {
            guard case .alreadyExists = error else { throw error }
            return nil
        }
    }

    private static func result(
        of creation: Creation, _ contents: VaultPlaintext
    ) -> Result<Creation.Made, VaultError> {
        Result { () throws(VaultError) in try creation.run(contents) }
    }

    private func isMade(
        _ result: Result<Creation.Made, VaultError>, since attempt: UnlockAttempt
    ) throws(VaultError) -> Bool {
        if case .failure(.alreadyExists) = result { return false }
        try finish(try result.get(), since: attempt)
        return true
    }
}
