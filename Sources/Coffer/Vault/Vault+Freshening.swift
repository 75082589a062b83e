internal import PropertyLists
internal import VaultFile

// How a handle comes to see what another process, or another handle, has saved.
extension Vault {
    /// The settings that a read sees: what is in memory, unless another process has saved.
    ///
    /// Every quarter of a second a read looks at the file's end. A file that cannot be read, or does not follow what was
    /// seen, takes nothing away from a reader: what was unlocked stays, and the next update says what is wrong.
    ///
    /// - Throws: `locked`; `conflict` when the passphrase was changed elsewhere: then the vault is locked from now on;
    ///   what reading the file again throws when there was no copy in memory.
    func snapshot() throws(VaultError) -> Snapshot {
        let lease = try lease()
        guard let snapshot = lease.snapshot else {
            return try reloading { () throws(VaultError) in try decryptAgain() }
        }
        return lease.looks ? try newest(lease, than: snapshot) : snapshot
    }

    /// The file's settings if it is not what it was, else those in memory.
    ///
    /// - Throws: `conflict`.
    func newest(_ lease: Lease, than snapshot: Snapshot) throws(VaultError) -> Snapshot {
        do throws(VaultError) {
            guard try isOther(than: lease.seen) else { return snapshot }
            let fresh = try newerSnapshot(lease)
            if install(fresh, over: lease) { return fresh }
            // Unlocked, saved or read by another look meanwhile: what is there now may be newer than both.
            return withState { $0.unlocked?.content.snapshot } ?? snapshot
        } catch {
            guard error == .conflict, giveUp(lease.key) else { return snapshot }
            throw error
        }
    }

    /// Drops everything because the key no longer fits the file. An unlock that has begun, with the new passphrase, may
    /// end.
    ///
    /// - Returns: false when the vault was locked, or has another key, by now.
    private func giveUp(_ key: MasterKey) -> Bool {
        withChange { state in
            guard state.unlocked?.content.key === key else { return ([], [], false) }
            return (state.expire(), [], true)
        }
    }

    /// Drops the key if the file is whole and commits to another one. Nothing is decrypted.
    func giveUpIfUnfit(_ key: MasterKey) {
        guard let header = try? VaultLoading.load(try store()).header, (try? key.matches(header)) == false else {
            return
        }
        _ = giveUp(key)
    }

    /// Whether the file is not the one that was seen last, by its check.
    func isOther(than seen: SeenGeneration?) throws(VaultError) -> Bool {
        let store = try store()
        return try translating(store.path) { () throws(StorageError) in
            let end = try store.open().readSuffix(VaultHeader.checkLength)
            return seen.map { !end.bytes.equals($0.check.rawSpan) } ?? true
        }
    }

    /// Decrypts the file again after the copy was dropped.
    private func decryptAgain() throws(VaultError) -> Snapshot {
        while true {
            let lease = try lease()
            if let snapshot = lease.snapshot { return snapshot }
            do throws(VaultError) {
                let fresh = try newerSnapshot(lease)
                if install(fresh, over: lease) { return fresh }
            } catch {
                // With another key by now, the vault is asked again.
                guard error != .conflict || giveUp(lease.key) else { continue }
                throw error
            }
        }
    }

    /// Decrypts the file, which has to follow what was seen.
    private func newerSnapshot(_ lease: Lease) throws(VaultError) -> Snapshot {
        let store = try store()
        let expected = freshness.expectation(at: store.path)
        let loaded = try VaultLoading.load(store)
        let fresh = try loaded.newerSnapshot(than: lease.seen, with: lease.key)
        try expected.check(fresh)
        return fresh
    }

    /// What observers are to know when the settings of a lease give way to those of a file.
    func differences(between lease: Lease, and fresh: Snapshot) -> [VaultEvent] {
        guard hub.isObserved, lease.seen != SeenGeneration(fresh) else { return [] }
        guard let old = lease.snapshot else { return [.changedUnspecified] }
        var names: [SettingName] = []
        old.withSettings { old in
            fresh.withSettings { fresh in
                fresh.visitDifferences(from: old) { list, key in
                    names.append(SettingName(text: list.text(key)))
                    return names.count <= VaultEvent.mostNames
                }
            }
        }
        return names.isEmpty ? [] : [.changed(names)]
    }
}
