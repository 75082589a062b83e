package import PropertyLists
public import SecureMemory
internal import VaultFile

extension Vault {
    /// Lends the bytes of a secret: ASCII text and data in place, other text as UTF-8 in memory that is wiped after.
    ///
    /// No lock is held while the closure runs, so it may read further settings. A lock meanwhile refuses new reads and
    /// lets this one end.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - body: reads the bytes; the span cannot leave it.
    /// - Returns: what `body` returns.
    /// - Throws: `locked`; `notFound`, since a secret has no default; `typeMismatch` when it is neither text nor data;
    ///   what reading the file again throws; what `body` throws.
    public func withBytes<Result: ~Copyable>(of key: SecretKey, _ body: (RawSpan) throws -> Result) throws -> Result {
        guard let (snapshot, object) = try find(key.name) else { throw VaultError.notFound(name: key.name) }
        return try snapshot.withSettings { (reader) in
            try SecretReading.withBytes(object, of: reader, named: key.name, body)
        }
    }

    /// Copies a secret into guarded memory of its own.
    ///
    /// - Parameter key: the secret.
    /// - Returns: the copy, which outlives a lock.
    /// - Throws: `locked`, `notFound`, `typeMismatch`, `notEnoughMemory`; what reading the file again throws.
    public func secret(for key: SecretKey) throws(VaultError) -> Secret {
        guard let (snapshot, object) = try find(key.name) else { throw .notFound(name: key.name) }
        return try snapshot.withSettings { (reader) throws(VaultError) -> Secret in
            Secret(try SecretReading.copy(object, of: reader, named: key.name))
        }
    }

    /// Whether a setting is present, with whatever value.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: whether it has been set.
    /// - Throws: `locked`; `limitExceeded` for a name that is far too long; `notEnoughMemory`; what reading the file again
    ///   throws.
    public func contains(_ name: String) throws(VaultError) -> Bool {
        try find(name) != nil
    }

    /// Lists the names of all settings, in the order of their bytes.
    ///
    /// - Returns: the names, as Swift strings.
    /// - Throws: `locked`; what reading the file again throws.
    public func names() throws(VaultError) -> [String] {
        try withSettings { (reader) throws(VaultError) in try ValueReading.keys(of: reader) }
    }

    /// Lends a reader of all settings.
    ///
    /// - Throws: `locked`; what reading the file again throws; what `body` throws.
    package func withSettings<Result: ~Copyable>(
        _ body: (PropertyListReader) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        try snapshot().withSettings(body)
    }

    /// Finds a setting under its name as it is spelled, else in composed form.
    ///
    /// - Returns: the settings that it stands in, which are kept by holding them, and its value's number; nil when
    ///   absent.
    func find(_ spelling: String) throws(VaultError) -> (snapshot: Snapshot, object: Int)? {
        let snapshot = try snapshot()
        return try snapshot.find(spelling).map { (snapshot, $0) }
    }

    /// Lends the value of a setting with the list that it stands in.
    ///
    /// - Returns: what `body` returns, or nil when the setting is absent.
    package func withValue<Result: ~Copyable>(
        of spelling: String, _ body: (PropertyListReader, Int) throws(VaultError) -> Result
    ) throws(VaultError) -> Result? {
        guard let (snapshot, object) = try find(spelling) else { return nil }
        return try snapshot.withSettings { (reader) throws(VaultError) in try body(reader, object) }
    }

    /// Lends the values of settings with the list that all of them stand in: they are of one save.
    ///
    /// - Parameter body: gets the number of each value, or nil for a setting that is absent.
    package func withValues<Result: ~Copyable>(
        of spellings: [String], _ body: (PropertyListReader, [Int?]) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        let snapshot = try snapshot()
        var objects: [Int?] = []
        for spelling in spellings { objects.append(try snapshot.find(spelling)) }
        return try snapshot.withSettings { (reader) throws(VaultError) in try body(reader, objects) }
    }
}
