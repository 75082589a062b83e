/// What a person should know after a save that went well.
package struct ReplacementReport: Equatable, Sendable {
    /// Something that was not as it should be.
    package enum Warning: Equatable, Sendable {
        /// Others than the owner may open the file, as before: the mode was kept.
        case widerThan0600(permissions: UInt32)
        /// The file's group could not be kept; no group has more rights than before.
        case groupNotKept
        /// The file system cannot bring one file to the disk, so everything was.
        case syncedEverything
    }

    /// The new file, or nil if the system did not say; then the file is to be read again before it is trusted.
    package let identity: FileIdentity?
    /// What was not as it should be.
    package let warnings: [Warning]
}

extension VaultTransaction {
    /// Puts a new file with these bytes in the place of the vault, or makes the first one.
    ///
    /// On every failure but `renamedButNotSynced` the old file stands as it was and the temporary one is removed. When
    /// this returns, the new file is on the disk.
    ///
    /// - Parameters:
    ///   - bytes: the whole content of the new file.
    ///   - expected: the file that is to be replaced, or nil for whichever is there.
    ///   - keepsAccess: whether mode and group of the old file are kept; if not, the owner alone may open the new one.
    /// - Returns: the new file and what was not as it should be.
    /// - Throws: `changedMeanwhile` if another file is there than `expected`; `noVault`, `alreadyExists`,
    ///   `notARegularFile`, `hardLinked`, `foreignOwner`; `verificationFailed`; `renamedButNotSynced`; or a system
    ///   failure.
    package borrowing func replace(
        with bytes: RawSpan, expecting expected: FileIdentity? = nil, keepsAccess: Bool = true
    ) throws(StorageError) -> ReplacementReport {
        let old = try Self.check(place, purpose)
        if let expected, old?.identity.hasSameContent(as: expected) != true {
            throw StorageError(.checkVault, .stale, .changedMeanwhile)
        }
        let temporary = try createTemporary()
        var warnings: [ReplacementReport.Warning] = []
        do throws(StorageError) {
            try setAccess(of: temporary.file, like: keepsAccess ? old : nil, &warnings)
            try temporary.file.write(bytes, .writeTemporary)
            let alone = try system.synchronizeOnce(temporary.file.number, .syncTemporary)
            if !alone { warnings.append(.syncedEverything) }
            try verify(temporary.file, bytes)
            try rename(temporary)
        } catch {
            removeTemporary(temporary.name)
            throw error
        }
        try synchronizeDirectory(&warnings)
        // After the rename, which sets the time of the status.
        return ReplacementReport(identity: try? temporary.file.status(.rename).identity, warnings: warnings)
    }
}
