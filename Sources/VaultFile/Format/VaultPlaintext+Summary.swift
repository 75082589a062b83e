internal import PropertyLists

/// What a decrypted vault is like: sizes and numbers, and no name or value.
package struct PlaintextSummary: Equatable, Sendable {
    package let settingsLength: Int
    /// 0 without metadata.
    package let metadataLength: Int
    package let paddingLength: Int
    package let settingsCount: Int
    /// Whether there are ages that belong to the settings.
    package let hasAges: Bool
    /// The names that are remembered as removed, those that are set again included.
    package let removedCount: Int
    /// The values that an undo can bring back.
    package let undoCount: Int
    package let recipientCount: Int

    /// Takes what was counted.
    package init(
        settingsLength: Int, metadataLength: Int, paddingLength: Int, settingsCount: Int, hasAges: Bool,
        removedCount: Int, undoCount: Int, recipientCount: Int
    ) {
        self.settingsLength = settingsLength
        self.metadataLength = metadataLength
        self.paddingLength = paddingLength
        self.settingsCount = settingsCount
        self.hasAges = hasAges
        self.removedCount = removedCount
        self.undoCount = undoCount
        self.recipientCount = recipientCount
    }
}

extension VaultPlaintext {
    /// Counts what is there; last values that do not belong to the settings are none.
    ///
    /// Specified in the file format, *Settings and metadata*.
    ///
    /// - Throws: `memory`.
    package func summary() throws(VaultFileError) -> PlaintextSummary {
        let settings = PropertyListReader(trusted: settings)
        let hasAges = try hasCurrentAges()
        var (removed, undo, recipients) = (0, 0, 0)
        if metadata.byteCount > 0 {
            let reader = PropertyListReader(trusted: metadata)
            if let names = reader.find("removed", in: 0) { removed = reader.count(of: names) }
            if hasAges, let previous = reader.find("previous", in: 0) { undo = reader.count(of: previous) }
            if let entries = reader.find("recipients", in: 0) { recipients = reader.count(of: entries) }
        }
        return PlaintextSummary(
            settingsLength: self.settings.byteCount, metadataLength: metadata.byteCount,
            paddingLength: bytes.byteCount - Self.headerLength - self.settings.byteCount - metadata.byteCount,
            settingsCount: settings.count(of: 0), hasAges: hasAges, removedCount: removed, undoCount: undo,
            recipientCount: recipients)
    }
}
