public import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory

/// The settings as they will be after an update through the agent; nothing is sent until the update's closure has returned.
///
/// It is written and read like `Draft`. A change that the vault does not allow makes the whole update throw after
/// its closure, and nothing is saved.
public struct AgentDraft: ~Copyable {
    /// What will stand under a name that was changed.
    enum Place {
        /// Among the draft's values.
        case value(Range<Int>)
        /// What the vault has under a name now.
        case base(String)
        case absent
        /// What only the agent knows.
        case undone
    }

    let base: AgentBase
    /// By the composed form of the name: only in this closure, and until the save, are two spellings of one text one name
    /// even where another program has stored both.
    var changes: [SettingName: Place] = [:]
    var values: GuardedArena
    /// The first change that could not be made.
    private(set) var failure: VaultError?
    private var steps: [AgentStep] = []
    private let process = ProcessToken.current
    private static let madeBeforeFork = "the secret was made before a fork, which wiped it"

    init(of base: AgentBase) throws(VaultError) {
        self.base = base
        do throws(SecureMemoryError) { values = try GuardedArena() } catch { throw .notEnoughMemory(memoryKiB: nil) }
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
            do throws(VaultError) { try drop(key.name, undoable: false) } catch { fail(error) }
            return
        }
        set(key.name) { (values) throws(VaultError) in try stored.append(to: &values) }
    }

    /// Sets a secret: as a string when its bytes are UTF-8, else as data.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - secret: its new value, which is copied from guarded memory to guarded memory.
    public mutating func set(_ key: SecretKey, to secret: borrowing Secret) {
        guard !secret.isForeign else { return fail(.refused(reason: Self.madeBeforeFork)) }
        do throws(VaultError) {
            let range = try secret.withBytes { (bytes) throws(VaultError) in
                try StoredValue.append(text: bytes, to: &values)
            }
            set(key.name) { (_) throws(VaultError) in range }
        } catch {
            fail(error)
        }
    }

    private mutating func set(_ name: String, _ append: (inout GuardedArena) throws(VaultError) -> Range<Int>) {
        do throws(VaultError) {
            let key = try self.key(name)
            let range = try append(&values)
            changes[key] = .value(range)
            steps.append(.set(name: name, value: range, replaces: true))
        } catch {
            fail(error)
        }
    }

    /// Removes a setting, and what an undo of it would have brought back, also if the setting itself is gone already.
    ///
    /// - Parameters:
    ///   - name: the setting's name.
    ///   - undoable: whether the value stays in the vault, so that ``undo(_:)-(String)`` can bring it back.
    /// - Returns: whether there was one, which is a read; false too when the update is going to throw.
    @discardableResult
    public mutating func remove(_ name: String, undoable: Bool = false) -> Bool {
        do throws(VaultError) {
            let key = try self.key(name)
            // After an undo there may be one, as the agent finds.
            let isThere = if case .undone? = changes[key] { true } else { try contains(name) }
            // Also of one that is not there something may be kept for an undo.
            if isThere || !undoable { try drop(name, undoable: undoable) }
            return isThere
        } catch {
            fail(error)
            return false
        }
    }

    /// Removes a setting without asking whether it is there, as the agent finds.
    private mutating func drop(_ name: String, undoable: Bool) throws(VaultError) {
        changes[try key(name)] = .absent
        steps.append(.remove(name: name, undoable: undoable, mayBeAbsent: true))
    }

    /// Gives a setting another name; the update throws when there is none, or the new name is taken.
    ///
    /// The age goes with it, and the value before. If a setting is replaced, its value is what an undo brings back.
    ///
    /// - Parameters:
    ///   - name: the setting's name.
    ///   - newName: its name from now on.
    ///   - replacing: whether a setting that has the new name is replaced.
    public mutating func rename(_ name: String, to newName: String, replacing: Bool = false) {
        do throws(VaultError) {
            let (old, new) = (try key(name), try key(newName))
            if old != new {
                changes[new] = changes[old] ?? .base(name)
                changes[old] = .absent
            }
            steps.append(.rename(from: name, to: newName, replaces: replacing))
        } catch {
            fail(error)
        }
    }

    /// Swaps the value of a setting and the one before its last change, or brings back one that was removed for undo.
    ///
    /// The update throws `notFound` when there is no such setting and none that can be brought back, and `refused` when no
    /// value from before is kept. What it brought back cannot be read before it is saved.
    ///
    /// - Parameter name: the setting's name.
    public mutating func undo(_ name: String) {
        do throws(VaultError) {
            changes[try key(name)] = .undone
            steps.append(.undo(name: name))
        } catch {
            fail(error)
        }
    }

    // MARK: What the update sends

    /// Ends the draft.
    ///
    /// - Throws: `limitExceeded` for more than the agent takes at once; `refused` in a child that was forked meanwhile.
    consuming func finish() throws(VaultError) -> AgentChange {
        guard process == ProcessToken.current else { throw .refused(reason: Self.madeBeforeFork) }
        guard steps.count <= AgentProtocol.maximumSteps else {
            throw .limitExceeded(
                field: "changes of an update through the agent", value: UInt64(steps.count),
                bound: UInt64(AgentProtocol.maximumSteps))
        }
        let size = base.path.utf8.count + values.count + steps.reduce(64) { $0 + $1.size }
        guard size <= AgentProtocol.maximumFrame else {
            throw .limitExceeded(
                field: "size of an update through the agent", value: UInt64(size),
                bound: UInt64(AgentProtocol.maximumFrame))
        }
        return AgentChange(path: base.path, expected: base.generation, steps: steps, values: values)
    }

    /// What a name is noted under.
    func key(_ name: String) throws(VaultError) -> SettingName {
        try AgentQuestions.check(name)
        return try SettingName(name).normalized()
    }

    mutating func fail(_ error: VaultError) {
        if failure == nil { failure = error }
    }
}

extension AgentStep {
    /// No fewer bytes than it takes in a frame, without its value.
    fileprivate var size: Int {
        switch self {
        case .set(let name, _, _), .remove(let name, _, _), .undo(let name): name.utf8.count + 32
        case .rename(let old, let new, _): old.utf8.count + new.utf8.count + 32
        }
    }
}
