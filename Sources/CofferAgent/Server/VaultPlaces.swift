internal import Coffer
internal import VaultFile

/// Which spellings of paths were seen to lead to which vaults.
///
/// It is asked where nothing may wait for a drive; whoever may wait looks at the file system each time.
struct VaultPlaces: Sendable {
    /// A path without links and dots, as bytes.
    typealias Place = [UInt8]

    // By bytes: two spellings that Unicode takes for one are two files.
    private var spellings: [[UInt8]: Place] = [:]

    /// The most spellings that are remembered.
    static let mostSpellings = 256

    /// Where a spelling led to when it was looked up last, or nil if it never was.
    func place(of spelling: String) -> Place? { spellings[Array(spelling.utf8)] }

    /// Remembers where a spelling leads to.
    ///
    /// - Returns: whether all that was known before holds on: the spelling led nowhere else, and none was forgotten.
    mutating func note(_ spelling: String, _ place: Place) -> Bool {
        let spelling = Array(spelling.utf8)
        // Forgetting costs a look at the file system, and replies that are on their way.
        let isFull = spellings.count >= Self.mostSpellings && spellings[spelling] == nil
        if isFull { spellings = [:] }
        let old = spellings.updateValue(place, forKey: spelling)
        return !isFull && (old == nil || old == place)
    }
}
