import Glibc

/// What a program that is not as it should be would do: each is planted in one record of many.
enum PlantedFault: String, CaseIterable {
    /// Takes one failure for another.
    case `class`
    /// Gives other values than there are.
    case value
    /// Unlocks another file than it inspects.
    case other
    /// Works for long, waits for long, or waits a little.
    case slow, wait, linger
    /// Takes much memory for a moment.
    case large
    case crash, hang

    static let interval = 64

    /// Happens within what is measured.
    func act() {
        switch self {
        case .class, .value, .other: break
        case .slow:
            let start = clock()
            while clock() - start < CLOCKS_PER_SEC / 10 {}
        case .wait: sleep(2)
        case .linger: usleep(100_000)
        case .large:
            let size = 16 << 20
            guard let room = unsafe malloc(size) else { return }
            unsafe memset(room, 1, size)
            // For the optimiser not to leave both out.
            unsafe getentropy(room, 16)
            unsafe free(room)
        case .crash: abort()
        case .hang: while true { pause() }
        }
    }

    func distort(_ answer: inout Answer) {
        if self == .class { answer.outcome = answer.outcome == "damaged" ? "tampered" : "damaged" }
        if self == .value, let last = answer.values.indices.last { answer.values[last] ^= 1 }
    }
}
