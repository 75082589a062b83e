internal import PropertyLists
public import SecureMemory
internal import VaultFile

/// The settings as they will be after an update; nothing is saved until the update's closure has returned.
///
/// A change that the format does not allow makes the whole update throw after its closure, and nothing is saved.
public struct Draft: ~Copyable {
    let base: VaultPlaintext
    /// Where a changed value stands in `values`, or nil for a setting that is removed.
    var changes: [SettingName: Range<Int>?] = [:]
    var values: GuardedArena
    var history = DraftHistory()
    /// The first change that could not be made.
    private(set) var failure: VaultError?

    init(of base: VaultPlaintext) throws(VaultError) {
        self.base = base
        values = try translating { () throws(SecureMemoryError) in try GuardedArena() }
    }

    // MARK: Changing

    /// Sets a setting that is no secret.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - value: its new value; nil, for an optional key, removes the setting. The update throws `limitExceeded` for
    ///     containers that are nested more than 31 deep, or hold more than fits a vault.
    public mutating func set<Value>(_ key: SettingKey<Value>, to value: Value) {
        guard let stored = key.coding.encode(value) else {
            remove(key.name)
            return
        }
        change(key.name) { (values) throws(VaultError) in try stored.append(to: &values) }
    }

    /// Sets a secret: as a string when its bytes are UTF-8, else as data.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - secret: its new value, which is copied from guarded memory to guarded memory.
    public mutating func set(_ key: SecretKey, to secret: borrowing Secret) {
        do throws(VaultError) {
            guard !secret.isForeign else { throw .refused(reason: Passphrase.madeBeforeFork) }
            let name = try target(key.name)
            let range = try secret.withBytes { (bytes) throws(VaultError) in
                try StoredValue.append(text: bytes, to: &values)
            }
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    /// Sets a value of any type whose list comes from another process: it is checked.
    ///
    /// A list that is not in canonical form, or is nested more than 31 deep, makes the update throw.
    package mutating func set(_ name: String, checking list: RawSpan) {
        do throws(VaultError) {
            // The settings themselves are at depth 1.
            let depth = PropertyListLimits.settingsDepth - 1
            try translating("") { () throws(PropertyListError) in
                try CanonicalCheck.check(list, maximumDepth: depth, requireDictionary: false, names: .any)
            }
        } catch {
            return fail(error)
        }
        set(name, list: list)
    }

    /// Sets a value of any type that is already in canonical form.
    package mutating func set(_ name: String, list: RawSpan) {
        do throws(VaultError) {
            let name = try target(name)
            let range = try translating { () throws(SecureMemoryError) in try values.append(list) }
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    // MARK: What the update saves

    /// The generation that the draft was made of.
    package var generation: UInt64 { base.generation }

    /// Whether anything was changed. Without a change the update saves nothing.
    package var isEmpty: Bool { changes.isEmpty }

    /// The names that were set, removed or renamed.
    var changedNames: [SettingName] { Array(changes.keys) }

    /// The changes in the order of their names.
    var settingsChanges: [SettingsChange] {
        changes.sorted { $0.key < $1.key }.map { history.change($0.key, $0.value) }
    }

    // MARK: Names

    func isPresent(_ name: SettingName) -> Bool {
        if let change = changes[name] { return change != nil }
        return base.value(of: name) != nil
    }

    /// The name under which a setting is there: as it is spelled, else in composed form.
    func existing(_ spelling: String) throws(VaultError) -> SettingName? {
        let exact = SettingName(spelling)
        if isPresent(exact) { return exact }
        let normal = try exact.normalized()
        return isPresent(normal) ? normal : nil
    }

    /// The name under which a setting is to be written.
    func target(_ spelling: String) throws(VaultError) -> SettingName {
        if let name = try existing(spelling) { return name }
        let name = try SettingName(spelling).normalized()
        try name.check()
        return name
    }

    // MARK: Values

    private mutating func change(
        _ spelling: String, _ append: (inout GuardedArena) throws(VaultError) -> Range<Int>
    ) {
        do throws(VaultError) {
            let name = try target(spelling)
            let range = try append(&values)
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    mutating func fail(_ error: VaultError) {
        if failure == nil { failure = error }
    }
}
