internal import PropertyLists
internal import SecureMemory
internal import VaultFile

// Removing, renaming and undoing: the changes that say what becomes of the value before.
extension Draft {
    /// Removes a setting, and what an undo of it would have brought back, also if the setting itself is gone already.
    ///
    /// - Parameters:
    ///   - name: the setting's name.
    ///   - undoable: whether the value stays in the vault, so that ``undo(_:)-(String)`` can bring it back.
    /// - Returns: whether there was one; false too where only a value that an undo would have brought back went.
    @discardableResult
    public mutating func remove(_ name: String, undoable: Bool = false) -> Bool {
        do throws(VaultError) {
            guard let name = try existing(name) else {
                if !undoable, let name = try removed(name) { drop(name, keeping: nil) }
                return false
            }
            drop(name, keeping: undoable ? place(of: name) : nil)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func drop(_ name: SettingName, keeping place: DraftHistory.Place?) {
        changes.updateValue(nil, forKey: name)
        history.remove(name, keeping: place)
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
            guard let old = try existing(name) else { throw .notFound(name: name) }
            let new = try target(newName)
            guard old != new else { return }
            let isTaken = isPresent(new)
            guard replacing || !isTaken else {
                throw .refused(reason: Self.isTaken)
            }
            var lineage = history.lineage(of: old)
            if isTaken { lineage.predecessor = place(of: new).predecessor }
            let range = try range(of: .place(place(of: old)))
            changes.updateValue(nil, forKey: old)
            changes.updateValue(range, forKey: new)
            // A value that gets the old name later is another setting.
            history.set(DraftHistory.Lineage(origin: nil, predecessor: .none), for: old)
            history.set(lineage, for: new)
        } catch {
            fail(error)
        }
    }

    /// Swaps the value of a setting and the one before its last change, or brings back one that was removed for undo.
    ///
    /// Undoing again brings back the newer value. The update throws `notFound` when there is no such setting and none
    /// that can be brought back, and `refused` when no value from before is kept: the setting was set only once, its
    /// predecessor did not fit into the vault, or a program that keeps none has changed the settings since.
    ///
    /// - Parameter name: the setting's name.
    public mutating func undo(_ name: String) {
        do throws(VaultError) {
            if let name = try existing(name) {
                try swap(name)
            } else if let name = try removed(name) {
                try bringBack(name)
            } else {
                throw .notFound(name: name)
            }
        } catch {
            fail(error)
        }
    }

    /// Whether an undo of a name would change something.
    package func canUndo(_ name: String) throws(VaultError) -> Bool {
        guard let name = try existing(name) else { return try removed(name) != nil }
        return try predecessor(of: name) != nil
    }

    // MARK: Undoing

    /// Why a setting does not get another name.
    package static let isTaken = "there is already a setting with the new name"

    /// Why a value is not stored that is to replace none.
    package static let isThere = "there is already a setting of this name"

    /// Why a change is not taken back.
    package static let nothingIsKept = "no value from before the last change is kept, so there is nothing to undo"

    /// A value that an undo brings back.
    private enum Predecessor {
        case place(DraftHistory.Place)
        /// An object of the metadata before the update.
        case kept(Int)
    }

    private mutating func swap(_ name: SettingName) throws(VaultError) {
        guard let predecessor = try predecessor(of: name) else {
            throw .refused(reason: Self.nothingIsKept)
        }
        let current = place(of: name).predecessor
        changes.updateValue(try range(of: predecessor), forKey: name)
        history.set(
            DraftHistory.Lineage(origin: history.lineage(of: name).origin, predecessor: current), for: name)
    }

    private mutating func bringBack(_ name: SettingName) throws(VaultError) {
        switch history.undoable[name] {
        case .setting?:
            // As if nothing had been asked for.
            changes.removeValue(forKey: name)
            history.bringBack(name)
        case .value(let range)?:
            changes.updateValue(range, forKey: name)
            history.bringBack(name)
        case nil:
            guard let object = try keptValue(of: name) else { return }
            changes.updateValue(try range(of: .kept(object)), forKey: name)
            history.set(DraftHistory.Lineage(origin: nil, predecessor: .none), for: name)
        }
    }

    /// The name of an absent setting that can be brought back: as it is spelled, else in composed form.
    private func removed(_ spelling: String) throws(VaultError) -> SettingName? {
        let exact = SettingName(spelling)
        if try canBringBack(exact) { return exact }
        let normal = try exact.normalized()
        return try canBringBack(normal) ? normal : nil
    }

    private func canBringBack(_ name: SettingName) throws(VaultError) -> Bool {
        if history.undoable[name] != nil { return true }
        // What this draft removed for good, or renamed, is no more.
        guard changes[name] == nil else { return false }
        return try keptValue(of: name) != nil
    }

    private func predecessor(of name: SettingName) throws(VaultError) -> Predecessor? {
        let lineage = history.lineage(of: name)
        switch lineage.predecessor {
        case .none: return nil
        case .value(let range): return .place(.value(range))
        case .setting(let name): return .place(.setting(SettingName(utf8: name)))
        case .implied:
            guard let origin = lineage.origin, let object = base.value(of: origin) else { return nil }
            if case .some(.some(let range)) = changes[name], !isEqual(range, object) { return .place(.setting(origin)) }
            return try keptValue(of: origin).map { .kept($0) }
        }
    }

    /// What the metadata keep for a name, as an object of theirs.
    private func keptValue(of name: SettingName) throws(VaultError) -> Int? {
        let plaintext = base
        return try translating("") { () throws(VaultFileError) in
            try plaintext.previousValue(of: name.utf8.rawSpan)
        }
    }

    /// Whether one of the draft's values is what a setting has before the update.
    private func isEqual(_ range: Range<Int>, _ object: Int) -> Bool {
        let list = PropertyListReader(trusted: values.bytes.extracting(range))
        return base.withSettings { (reader) in reader.isEqual(object, to: list, 0) }
    }

    // MARK: Values

    /// Where the value of a present setting stands.
    private func place(of name: SettingName) -> DraftHistory.Place {
        if case .some(.some(let range)) = changes[name] { return .value(range) }
        return .setting(name)
    }

    /// Where a value stands in `values`; one of before the update is copied there.
    private mutating func range(of predecessor: Predecessor) throws(VaultError) -> Range<Int> {
        let plaintext = base
        switch predecessor {
        case .place(.value(let range)): return range
        case .place(.setting(let name)):
            let reader = PropertyListReader(trusted: plaintext.settings)
            guard let object = reader.find(name.utf8.rawSpan)?.value else {
                throw .notFound(name: String(decoding: name.utf8, as: UTF8.self))
            }
            return try copy(object, of: reader)
        case .kept(let object): return try copy(object, of: PropertyListReader(trusted: plaintext.metadata))
        }
    }

    private mutating func copy(_ object: Int, of reader: PropertyListReader) throws(VaultError) -> Range<Int> {
        let list = try translating("") { () throws(PropertyListError) in
            var builder = try PropertyListBuilder()
            try builder.copy(object, of: reader)
            return try builder.finish()
        }
        return try translating { () throws(SecureMemoryError) in try values.append(list.bytes) }
    }
}
