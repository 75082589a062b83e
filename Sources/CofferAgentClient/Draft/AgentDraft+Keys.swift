public import Coffer

// The changes that take a name, for those who have a key.
extension AgentDraft {
    /// Removes a setting, and what an undo of it would have brought back.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - undoable: whether the value stays in the vault, so that an undo can bring it back.
    /// - Returns: whether there was one.
    @discardableResult
    public mutating func remove<Value>(_ key: SettingKey<Value>, undoable: Bool = false) -> Bool {
        remove(key.name, undoable: undoable)
    }

    /// Removes a secret, and what an undo of it would have brought back.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - undoable: whether the value stays in the vault, so that an undo can bring it back.
    /// - Returns: whether there was one.
    @discardableResult
    public mutating func remove(_ key: SecretKey, undoable: Bool = false) -> Bool {
        remove(key.name, undoable: undoable)
    }

    /// Takes back the last change of a setting, as the form with a name does.
    ///
    /// - Parameter key: the setting.
    public mutating func undo<Value>(_ key: SettingKey<Value>) { undo(key.name) }

    /// Takes back the last change of a secret, as the form with a name does.
    ///
    /// - Parameter key: the secret.
    public mutating func undo(_ key: SecretKey) { undo(key.name) }
}
