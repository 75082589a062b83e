internal import CofferAgent
internal import PropertyLists
internal import SecureMemory

/// Lends a value, by its position among the names that were asked for, with the list that it stands in.
typealias ValueLender = (
    _ position: Int, _ body: (PropertyListReader, _ object: Int) throws(Failure) -> Void
) throws(Failure) -> Void

/// The settings of an unlocked vault, in this process or in the agent: what the verbs read and change.
///
/// All changes are on the disk when a call returns. A failure says what is so, in the same words for both.
protocol SettingsAccess {
    /// Makes sure that the settings can be changed, before anyone is asked for a value.
    func prepare() throws

    /// Lends the values of settings, all of one save.
    ///
    /// - Parameters:
    ///   - names: the settings, in any spelling.
    ///   - body: gets a number for each of them, the same for two spellings of one setting, or nil for one that is absent;
    ///     and what lends a value.
    func withValues(of names: [String], _ body: (_ found: [Int?], _ lend: ValueLender) throws -> Void) throws

    /// All settings of one save, in the order of their names.
    func entries() throws -> [SettingEntry]

    /// Changes settings, all of them or none.
    ///
    /// - Parameters:
    ///   - steps: what to do, in order.
    ///   - values: where the values of the steps stand.
    ///   - done: what is so when it is saved and may not survive a power cut: a sentence without a full stop.
    /// - Returns: what was there before each step.
    /// - Throws: `ChangeSteps.Refusal`; `notFound` for the first that is not there; what saving throws.
    func change(_ steps: [AgentStep], _ values: RawSpan, _ done: String) throws -> [AgentOutcome]
}

extension SettingsAccess {
    /// Gives a setting a value.
    ///
    /// - Parameters:
    ///   - name: the setting.
    ///   - list: a canonical list whose root is the value.
    ///   - replacing: whether the value of a setting that is there is replaced.
    /// - Returns: what the value before was, or nil where there was none.
    /// - Throws: `refused` when there is one that is not to be replaced.
    func set(_ name: String, to list: borrowing GuardedBuffer, replacing: Bool) throws -> PropertyListKind? {
        let step = AgentStep.set(name: name, value: 0..<list.count, replaces: replacing)
        return try change(step, list.bytes, DoneText.set(name), or: .wouldReplace(name))?.before
    }

    /// Removes settings, all of them or none.
    ///
    /// - Throws: `notFound` for the first that is not there.
    func remove(_ names: [String], undoable: Bool) throws {
        let steps = names.map { AgentStep.remove(name: $0, undoable: undoable, mayBeAbsent: false) }
        _ = try change(steps, RawSpan(), DoneText.removed)
    }

    /// Gives a setting another name.
    ///
    /// - Throws: `notFound`; `refused` when the new name is taken and nothing is to be replaced.
    func rename(_ name: String, to newName: String, replacing: Bool) throws {
        let step = AgentStep.rename(from: name, to: newName, replaces: replacing)
        _ = try change(step, RawSpan(), DoneText.renamed, or: .isTaken(newName))
    }

    /// Takes back the last change of a setting.
    ///
    /// - Returns: whether the setting was there before.
    /// - Throws: `notFound`; `refused` when no value from before is kept.
    func undo(_ name: String) throws -> Bool {
        try change(.undo(name: name), RawSpan(), DoneText.undone(name), or: .nothingToUndo(name))?.before != nil
    }

    /// Does one step, which breaks no more than one rule.
    private func change(
        _ step: AgentStep, _ values: RawSpan, _ done: String, or refused: Failure
    ) throws -> AgentOutcome? {
        do { return try change([step], values, done).first } catch let refusal as ChangeSteps.Refusal {
            guard case .refused = refusal.failure else { throw Failure(refusal.failure) }
            throw refused
        }
    }
}

/// One setting of a listing, without its value.
struct SettingEntry {
    let name: String
    let kind: PropertyListKind
    /// When the value last changed, in milliseconds since 1970.
    let modified: Int64?
    /// How long ago that was, in milliseconds.
    let age: Int64?
}

// What every access says of a change that is not to be.
extension Failure {
    /// A generated value that would replace one which is there.
    static func wouldReplace(_ name: String) -> Failure {
        Failure(
            .refused, "there is already a setting \(Escaping.quoted(name)), and its value would be lost",
            hint: "--force replaces it")
    }

    /// A new name that another setting has.
    static func isTaken(_ name: String) -> Failure {
        Failure(.refused, "there is already a setting \(Escaping.quoted(name))", hint: "--force replaces it")
    }

    /// A setting of which no value from before is kept.
    static func nothingToUndo(_ name: String) -> Failure {
        Failure(
            .refused, "there is nothing to undo for \(Escaping.quoted(name)): no value from before is kept",
            hint: "coffer undo --help says when that is so")
    }
}

/// What is so after a change that may not survive a power cut: sentences without a full stop.
enum DoneText {
    static func set(_ name: String) -> String { "the value of \(Escaping.quoted(name)) is stored" }
    static let removed = "the settings are removed"
    static let renamed = "the setting has its new name"
    static func undone(_ name: String) -> String { "the last change of \(Escaping.quoted(name)) is taken back" }
}
