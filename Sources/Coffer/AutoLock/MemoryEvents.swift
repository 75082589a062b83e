/// The counters of a cgroup's `memory.events` that grow when memory is short.
struct MemoryEvents: Equatable, Sendable {
    private static let names = ["high", "max", "oom", "oom_kill"]
    private var counts: [UInt64]

    /// Reads the counters; what is missing or no number counts as zero.
    ///
    /// - Parameter text: the file's contents: a name, a space and a number on each line.
    init(_ text: String) {
        counts = Self.names.map { _ in 0 }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let index = Self.names.firstIndex(where: { $0 == words[0] }) else { continue }
            counts[index] = UInt64(words[1]) ?? 0
        }
    }

    /// Whether any counter is larger than it was.
    func hasGrown(since earlier: MemoryEvents) -> Bool { zip(counts, earlier.counts).contains { $0 > $1 } }
}
