internal import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// The settings of a vault that the agent has unlocked.
final class AgentAccess: SettingsAccess {
    /// The agent has not unlocked the vault, or does not answer: someone else has to be asked.
    struct NotUnlocked: Error {
        /// What is wrong with the agent, if something is.
        var reason: Failure?
    }

    private let link: AgentLink
    private let session: Session
    private let path: String

    /// - Parameters:
    ///   - link: to the agent.
    ///   - session: hears the warnings of a save.
    ///   - path: of the vault, absolute.
    init(_ link: AgentLink, _ session: Session, path: String) {
        self.link = link
        self.session = session
        self.path = path
    }

    func prepare() throws { _ = try details() }

    /// What is told of the vault only with its passphrase.
    func details() throws -> AgentDetails {
        guard case .details(let details) = try link.read(.details(path: path)) else { throw AgentLink.nonsense }
        return details
    }

    // MARK: Reading

    func withValues(of names: [String], _ body: (_ found: [Int?], _ lend: ValueLender) throws -> Void) throws {
        let (values, numbers) = try oneSave { () throws -> (values: [AgentValue?], numbers: [Int?])? in
            guard let (generation, values) = try self.values(of: names) else { return nil }
            guard let numbers = try self.numbers(of: names, in: values, at: generation) else { return nil }
            return (values, numbers)
        }
        try body(numbers) { (position, body) throws(Failure) in
            try values[position]?.withReader { (reader) throws(Failure) in try body(reader, 0) }
        }
    }

    private func oneSave<Result>(_ attempt: () throws -> Result?) throws -> Result {
        try OneSave.read(orThrow: Failure.neverStill(session.quotedVault) as any Error, attempt)
    }

    /// The values, one request for each, or nothing when a save came in between.
    private func values(of names: [String]) throws -> (generation: UInt64?, values: [AgentValue?])? {
        var generation: UInt64?
        var values: [AgentValue?] = []
        for name in names {
            let (found, list) = try self.value(of: name)
            guard generation == nil || generation == found else { return nil }
            generation = found
            values.append(list)
        }
        return (generation, values)
    }

    private func value(of name: String) throws -> (generation: UInt64, value: AgentValue?) {
        // No vault has a setting of a name that the agent does not take.
        if Self.isTooLong(name) { return (try details().generation, nil) }
        switch try link.read(.value(path: path, name: name)) {
        case .value(let generation, .some(let list)): return (generation, try value(list))
        case .value(let generation, .none): return (generation, nil)
        default: throw AgentLink.nonsense
        }
    }

    private func value(_ list: consuming GuardedBuffer) throws(Failure) -> AgentValue {
        do throws(AgentAnswerError) { return try AgentValue(list) } catch { throw Failure(error) }
    }

    private static func isTooLong(_ name: String) -> Bool { name.utf8.count > AgentProtocol.maximumName }

    /// A number for each setting that is there, or nothing when a save came in between.
    private func numbers(
        of names: [String], in values: [AgentValue?], at generation: UInt64?
    ) throws -> [Int?]? {
        guard names.count > 1 else { return values.map { $0 == nil ? nil : 0 } }
        // As bytes: Swift takes two spellings of one text for equal.
        var spellings = names.map { Array($0.utf8) }
        let composed = try names.map { Array(try SettingNames.composed($0).utf8) }
        if Set(composed).count < Set(spellings).count {
            // Two spellings may be one setting, or two that another program has named so.
            guard let stored = try listing(), stored.generation == generation else { return nil }
            let exact = Set(stored.entries.map { Array($0.name.utf8) })
            spellings = zip(spellings, composed).map { exact.contains($0) ? $0 : $1 }
        }
        return zip(values, spellings).map { value, spelling in
            value == nil ? nil : spellings.firstIndex(of: spelling)
        }
    }

    func entries() throws -> [SettingEntry] {
        let listing = try oneSave { try self.listing() }
        return listing.entries.map { entry in
            SettingEntry(
                name: entry.name, kind: entry.kind, modified: entry.modified,
                age: entry.modified.map { MetadataTime.age(of: $0, now: listing.now) })
        }
    }

    /// All settings, or nothing when a save came in between.
    private func listing() throws -> AgentListing? {
        try AgentListing.read(orThrow: AgentLink.nonsense as any Error) { name in
            try link.read(.list(path: path, after: name))
        }
    }

    // MARK: Changing

    func change(_ steps: [AgentStep], _ values: RawSpan, _ done: String) throws -> [AgentOutcome] {
        try refuseTooLong(steps)
        let reply = try session.saving(done) {
            try link.change(of: path) {
                var arena = try GuardedArena(capacity: values.byteCount)
                try arena.append(values)
                return AgentChange(path: path, expected: nil, steps: steps, values: arena)
            }
        }
        guard case .changed(_, let outcomes, let warnings) = reply, outcomes.count == steps.count else {
            throw VaultError.outcomeUnknown(path: path)
        }
        session.warnOfSave(warnings)
        return outcomes
    }

    /// Refuses names that the agent does not take, and that no setting can have, as absent ones.
    private func refuseTooLong(_ steps: [AgentStep]) throws {
        for case .remove(let name, _, _) in steps where Self.isTooLong(name) { try refuse(name) }
        for case .rename(let name, _, _) in steps where Self.isTooLong(name) { try refuse(name) }
        for case .undo(let name) in steps where Self.isTooLong(name) { try refuse(name) }
    }

    private func refuse(_ name: String) throws {
        // If the vault is unlocked there.
        try prepare()
        throw VaultError.notFound(name: name)
    }
}

extension Failure {
    fileprivate static func neverStill(_ vault: String) -> Failure {
        Failure(.ioError, "\(vault) was saved again and again while it was read", hint: "try again")
    }
}
