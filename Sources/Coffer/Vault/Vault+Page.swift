package import PropertyLists
internal import SecureMemory
package import VaultFile

// What is told of a vault's contents without a value.
extension Vault {
    /// One setting, without its value.
    package struct Listed: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// What its value is.
        package let kind: PropertyListKind
        /// When it last got another value, in milliseconds since 1970; nil when that is not known.
        package let modified: Int64?
    }

    /// Some settings of one save, in the order of their names' bytes.
    package struct Page: Equatable, Sendable {
        /// The generation that they are of.
        package let generation: UInt64
        /// The settings.
        package let settings: [Listed]
        /// Whether there are more behind them.
        package let hasMore: Bool
        /// The present, in milliseconds since 1970.
        package let now: Int64
    }

    /// Lists the settings behind a name.
    ///
    /// - Parameters:
    ///   - name: as it is spelled; there need not be a setting of it. Nil begins with the first.
    ///   - bytes: how many bytes of names to list, about; one name is always listed, if there is one.
    /// - Returns: the page.
    /// - Throws: `locked`; what reading the file again throws.
    package func page(after name: String?, bytes: Int) throws(VaultError) -> Page {
        let plaintext = try snapshot().plaintext
        let now = surroundings.wallClock()
        let reader = PropertyListReader(trusted: plaintext.settings)
        let count = reader.count(of: 0)
        let start = name.map { reader.firstIndex(after: Array($0.utf8).rawSpan) } ?? 0
        var (names, total): ([String], Int) = ([], 0)
        while start + names.count < count, names.isEmpty || total < bytes {
            let name = try ValueReading.string(reader.key(start + names.count), of: reader)
            total += name.utf8.count
            names.append(name)
        }
        let range = start..<start + names.count
        let times = try translating("") { () throws(VaultFileError) in try plaintext.modified(range, now: now) }
        let settings = zip(range, zip(names, times)).map { index, setting in
            Listed(name: setting.0, kind: reader.kind(of: reader.value(index)), modified: setting.1)
        }
        return Page(
            generation: plaintext.generation, settings: settings, hasMore: range.upperBound < count, now: now)
    }

    /// What the contents say of themselves.
    package struct Summary: Equatable, Sendable {
        /// The number of saves.
        package let generation: UInt64
        /// 16 bytes that tell the vault from every other.
        package let vaultID: [UInt8]
        /// The last bytes of the file that they are of.
        package let check: [UInt8]
        /// Sizes and numbers.
        package let numbers: PlaintextSummary
    }

    /// Says what the contents say of themselves.
    ///
    /// - Throws: `locked`; what reading the file again throws.
    package func summary() throws(VaultError) -> Summary {
        let snapshot = try snapshot()
        let plaintext = snapshot.plaintext
        return Summary(
            generation: plaintext.generation, vaultID: plaintext.vaultID, check: snapshot.header.check,
            numbers: try translating("") { () throws(VaultFileError) in try plaintext.summary() })
    }
}
