package import Coffer
internal import PropertyLists
internal import SecureMemory

/// The steps of a change as they are done to a draft; the first that cannot be done ends the change, and saves nothing.
package enum ChangeSteps {
    /// Why a change is not made, beyond what a vault says.
    package struct Refusal: Error {
        /// What the client is answered.
        package let failure: AgentFailure

        /// Refuses a change for a reason.
        package init(failure: AgentFailure) { self.failure = failure }
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
        let outcomes = try apply(change.steps, change.values.bytes, to: &draft)
        return Made(generation: draft.isEmpty ? draft.generation : draft.generation + 1, outcomes: outcomes)
    }

    /// Does all steps.
    ///
    /// - Parameters:
    ///   - steps: what to do, in order.
    ///   - values: where the values of the steps stand.
    ///   - draft: of the settings that they change.
    /// - Returns: what was there before each of them.
    /// - Throws: `Refusal`; `VaultError`.
    package static func apply(_ steps: [AgentStep], _ values: RawSpan, to draft: inout Draft) throws -> [AgentOutcome] {
        var outcomes: [AgentOutcome] = []
        var removed: Set<String> = []
        for step in steps {
            let before: PropertyListKind?
            switch step {
            case .set(let name, let range, let replaces):
                before = try draft.kind(of: name)
                guard replaces || before == nil else { throw Refusal(failure: .refused(.isThere)) }
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
                guard replaces || before == nil else { throw Refusal(failure: .refused(.isTaken)) }
                draft.rename(old, to: new, replacing: replaces)
            case .undo(let name):
                before = try draft.kind(of: name)
                guard try draft.canUndo(name) else {
                    guard before != nil else { throw VaultError.notFound(name: name) }
                    throw Refusal(failure: .refused(.nothingIsKept))
                }
                draft.undo(name)
            }
            outcomes.append(AgentOutcome(before: before))
        }
        return outcomes
    }
}
