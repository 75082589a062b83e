/// Which parts of a piece of memory are free, for whoever hands it out in small portions.
struct FreeRanges: Sendable {
    // Sorted; no two of them touch.
    private var ranges: [Range<Int>]
    private let count: Int

    init(count: Int) {
        self.count = count
        ranges = count > 0 ? [0..<count] : []
    }

    /// Whether nothing is taken.
    var isUntouched: Bool { ranges.first?.count ?? 0 == count }

    /// Takes the first part that is large enough.
    mutating func take(_ wanted: Int) -> Range<Int>? {
        guard let index = ranges.firstIndex(where: { $0.count >= wanted }) else { return nil }
        let start = ranges[index].lowerBound
        if ranges[index].count == wanted {
            ranges.remove(at: index)
        } else {
            ranges[index] = start + wanted..<ranges[index].upperBound
        }
        return start..<start + wanted
    }

    /// Gives back what was taken.
    mutating func give(_ range: Range<Int>) {
        var range = range
        var index = ranges.firstIndex { $0.lowerBound >= range.upperBound } ?? ranges.count
        if index < ranges.count, ranges[index].lowerBound == range.upperBound {
            range = range.lowerBound..<ranges.remove(at: index).upperBound
        }
        if index > 0, ranges[index - 1].upperBound == range.lowerBound {
            index -= 1
            range = ranges.remove(at: index).lowerBound..<range.upperBound
        }
        ranges.insert(range, at: index)
    }
}
