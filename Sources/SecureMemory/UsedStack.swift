internal import CSodium

/// The stack below the caller, where a C function has just run.
package enum UsedStack {
    // Deeper than any of them reaches, with the frames of an unoptimised build in between.
    private static let depth = 16_384

    /// Overwrites what a function left behind: libsodium clears its keys there, but not all that it makes from them.
    ///
    /// The corresponding C function is `sodium_stackzero`.
    package static func clear() { sodium_stackzero(depth) }
}
