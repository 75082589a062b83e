internal import VaultFile

/// The newest generation of a vault that this process has seen.
struct SeenGeneration: Equatable, Sendable {
    let vaultID: [UInt8]
    let generation: UInt64
    let check: [UInt8]

    init(_ snapshot: Snapshot) {
        vaultID = snapshot.plaintext.vaultID
        generation = snapshot.plaintext.generation
        check = snapshot.header.check
    }

    /// Checks that a file is this generation or a later one.
    ///
    /// Specified in the file format, *Reading order*, freshness.
    ///
    /// - Throws: `replaced`, `rolledBack` or `forked`.
    func check(_ snapshot: Snapshot) throws(VaultError) {
        let found = SeenGeneration(snapshot)
        guard found.vaultID == vaultID else { throw .replaced }
        guard found.generation >= generation else {
            throw .rolledBack(generation: found.generation, newest: generation)
        }
        guard found.generation > generation || found.check == check else { throw .forked(generation: generation) }
    }
}
