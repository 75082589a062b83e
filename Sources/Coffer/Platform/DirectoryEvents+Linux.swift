internal import Glibc

#if !os(Linux)
    #error("DirectoryEvents knows Linux only: add a file for this system to this folder")
#endif

/// What a buffer of inotify(7) says about one file of the watched directory.
package struct DirectoryEvents: Equatable, Sendable {
    /// Whether the file was made, written, replaced or removed, or may have been.
    package private(set) var hasChange = false
    /// Whether the directory is watched no longer.
    package private(set) var isEnd = false

    /// Nothing so far.
    package init() {}

    private static let header = 16
    private static let changes = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE)
    private static let ends = UInt32(IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF)

    /// What to ask the kernel for.
    static let mask = changes | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// Adds the events of a buffer. No length in it is trusted: what cannot be read counts as a change.
    ///
    /// - Parameters:
    ///   - bytes: what was read.
    ///   - name: the name of the file.
    package mutating func add(_ bytes: ArraySlice<UInt8>, about name: [UInt8]) {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= Self.header else { return hasChange = true }
            let mask = Self.number(rest.dropFirst(4))
            let length = Int(Self.number(rest.dropFirst(12)))
            rest = rest.dropFirst(Self.header)
            guard rest.count >= length else { return hasChange = true }
            add(mask, about: rest.prefix(length), is: name)
            rest = rest.dropFirst(length)
        }
    }

    private mutating func add(_ mask: UInt32, about padded: ArraySlice<UInt8>, is name: [UInt8]) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { hasChange = true }
        if mask & Self.ends != 0 { (hasChange, isEnd) = (true, true) }
        if mask & Self.changes != 0, padded.prefix(while: { $0 != 0 }).elementsEqual(name) { hasChange = true }
    }

    // In the order of bytes of this machine.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let value = bytes.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return UInt32(littleEndian: value)
    }
}
