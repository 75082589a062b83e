/// The names of a cache in the order in which their values expire.
///
/// A name that is set again has another entry here; the cache knows by the serial which one counts, and drops the others
/// as they come.
struct ExpiryQueue: Sendable {
    struct Item: Sendable {
        /// When the value expires; the largest number stands for never.
        let deadline: Int64
        /// Grows with each value that is set.
        let serial: UInt64
        let name: SettingName

        func precedes(_ other: Self) -> Bool { (deadline, serial) < (other.deadline, other.serial) }
    }

    // A binary heap: no item comes before the one at half its place.
    private var items: [Item] = []

    var count: Int { items.count }

    /// The item that expires first.
    var first: Item? { items.first }

    mutating func insert(_ item: Item) {
        items.append(item)
        var place = items.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard items[place].precedes(items[parent]) else { break }
            items.swapAt(place, parent)
            place = parent
        }
    }

    /// Takes out the item that expires first.
    mutating func removeFirst() {
        guard let last = items.popLast() else { return }
        guard !items.isEmpty else { return }
        items[0] = last
        var place = 0
        while true {
            var first = place
            for child in [2 * place + 1, 2 * place + 2] where child < items.count {
                if items[child].precedes(items[first]) { first = child }
            }
            guard first != place else { break }
            items.swapAt(place, first)
            place = first
        }
    }

    /// Drops all items that do not count any more.
    mutating func keep(_ counts: (Item) -> Bool) {
        // What is in order is a heap too.
        items = items.filter(counts).sorted { $0.precedes($1) }
    }
}
