internal import Coffer
internal import PropertyLists
internal import SecureMemory

/// The steps of a change as they are done to a draft; the first that cannot be done ends the change, and saves nothing.
enum ChangeSteps {
    /// Why a change is not made, beyond what a vault says.
    struct Refusal: Error {
        let failure: AgentFailure
    }

    /// What a change makes, once it is saved.
    struct Made: Sendable {
        let generation: UInt64
        let outcomes: [AgentOutcome]
    }

    /// Does all steps, if the draft is made of what the client expects.
    static func apply(_ change: borrowing AgentChange, to draft: inout Draft) throws -> Made {
        if let expected = change.expected, expected != draft.generation {
            throw Refusal(failure: .generation(draft.generation))
        }
        var outcomes: [AgentOutcome] = []
        var removed: Set<String> = []
        for step in change.steps {
            let before: PropertyListKind?
            switch step {
            case .set(let name, let range, let replaces):
                before = try draft.kind(of: name)
                guard replaces || before == nil else { throw VaultError.refused(reason: Draft.isThere) }
                let values = change.values.bytes
                guard range.lowerBound >= 0, range.upperBound <= values.byteCount else {
                    throw Refusal(failure: .malformed)
                }
                draft.set(name, checking: values.extracting(range))
            case .remove(let name, let undoable, let mayBeAbsent):
                before = try draft.kind(of: name)
                // What an earlier removal kept for an undo is there to be removed as well; a name that was given twice is
                // gone by the second time.
                let isThere = before != nil || mayBeAbsent || removed.contains(name)
                guard try isThere || (!undoable && draft.canUndo(name)) else { throw VaultError.notFound(name: name) }
                draft.remove(name, undoable: undoable)
                removed.insert(name)
            case .rename(let old, let new, let replaces):
                guard try draft.contains(old) else { throw VaultError.notFound(name: old) }
                before = old == new ? nil : try draft.kind(of: new)
                guard replaces || before == nil else { throw VaultError.refused(reason: Draft.isTaken) }
                draft.rename(old, to: new, replacing: replaces)
            case .undo(let name):
                before = try draft.kind(of: name)
                draft.undo(name)
            }
            outcomes.append(AgentOutcome(before: before))
        }
        return Made(generation: draft.isEmpty ? draft.generation : draft.generation + 1, outcomes: outcomes)
    }
}
