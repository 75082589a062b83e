/// The kind of a value in a property list.
package enum PropertyListKind: Sendable, Hashable, CaseIterable {
    case boolean, integer, real, date, data, string, array, dictionary
}
