/// Finds what a person probably meant.
package enum Suggestion {
    // What other programs call it.
    private static let synonyms: [String: String] = [
        "remove": "unset", "rm": "unset", "delete": "unset", "add": "set", "put": "set", "insert": "set", "show": "get",
        "cat": "get", "ls": "list", "mv": "rename", "change-passphrase": "passphrase", "passwd": "passphrase",
        "rekey": "passphrase", "verify": "check", "info": "inspect", "unlocked": "status",
        "daemon": "agent",
    ]

    /// The verb that a word probably means: what another program calls it, else the nearest one.
    package static func verb(_ word: String, among verbs: [String]) -> String? {
        synonyms[word] ?? nearest(to: word, in: verbs)
    }

    /// The candidate that takes the fewest edits, if they are few.
    package static func nearest(to word: String, in candidates: [String]) -> String? {
        let length = word.unicodeScalars.count
        guard length > 0, length <= 64 else { return nil }
        let limit = length <= 3 ? 1 : 2
        let ranked = candidates.map { (distance: distance(word, $0), candidate: $0) }
        let best = ranked.min { $0.distance < $1.distance }
        if let best, best.distance <= limit { return best.candidate }
        let longer = candidates.filter { length >= 2 && $0.hasPrefix(word) }
        return longer.count == 1 ? longer[0] : nil
    }

    // Insertions, deletions, substitutions and swaps of neighbours.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        var rows = [Array(0...right.count)]
        for (i, scalar) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (scalar == other ? 0 : 1))
                if i > 0, j > 0, scalar == right[j - 1], left[i - 1] == other {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
