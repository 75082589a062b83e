/// What a read may hang on. Of those on one lane one is begun at a time: on a drive that hangs, another would only hang as
/// well, and take the place of a read that does not.
package enum ReadLane: Hashable, Sendable {
    /// A vault that the handler knows, by the bytes of its file's place.
    case vault([UInt8])
    /// A path that the handler has not seen yet: nobody knows on what drive it ends.
    case unseen([UInt8])

    var isUnseen: Bool {
        if case .unseen = self { return true }
        return false
    }
}
