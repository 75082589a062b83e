internal import PropertyLists

/// What an update makes of one name, and where that leaves what is known of it.
package struct SettingsChange: Sendable {
    /// What an undo will bring back.
    package enum Predecessor: Sendable, Hashable {
        /// What the values say: the value that the change replaces, or what was kept before if it replaces none.
        case implied
        /// Nothing.
        case none
        /// A value among the new ones, as a whole list.
        case value(Range<Int>)
        /// The value that a setting has before the save.
        case setting([UInt8])
    }

    /// The name, in UTF-8.
    package let name: [UInt8]
    /// Where the value stands among the new values, as a whole list; nil when there is no such setting after the save.
    package let value: Range<Int>?
    /// The setting before the save that lives on under the name: another one after a rename, or none.
    package let origin: [UInt8]?
    /// What an undo will bring back. A removal implies nothing.
    package let predecessor: Predecessor

    /// Sets a setting, or removes it when the value is nil.
    package init(name: [UInt8], value: Range<Int>?) {
        self.init(name: name, value: value, origin: name, predecessor: .implied)
    }

    /// Makes a change whose history is not that of its name alone.
    package init(name: [UInt8], value: Range<Int>?, origin: [UInt8]?, predecessor: Predecessor) {
        self.name = name
        self.value = value
        self.origin = origin
        self.predecessor = predecessor
    }

    /// The change of the settings alone.
    var merge: DictionaryMerge.Change { DictionaryMerge.Change(name: name, value: value) }
}
