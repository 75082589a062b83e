import SecureMemory
import VaultFile

/// The state of freshness: as it comes, with the check that belongs to it, and one that was built with bytes changed.
enum FreshnessArea {
    static func run(_ input: RawSpan) {
        _ = FreshnessState(file: input).map(exercise)
        attempt(list: input)
        // What does not begin as a list is a program that records sightings.
        guard input.byteCount > 0, input[0] != UInt8(ascii: "b") else { return }
        var program = Program(input)
        let state = built(by: &program)
        exercise(state)
        guard let file = try? state.file(), !program.isAtEnd else { return }
        var list = Array(file.dropLast(VaultHeader.checkLength))
        for _ in 0..<8 where !program.isAtEnd {
            // Even numbers count from the end, where the trailer is.
            let place = Int(program.number(2))
            let offset = place / 2 % list.count
            list[place % 2 == 0 ? list.count - 1 - offset : offset] = program.byte()
        }
        attempt(list: list.rawSpan)
    }

    private static func attempt(list: RawSpan) {
        guard let state = FreshnessState(list: list) else { return }
        guard let file = try? state.file() else { return promise(false, "a state needs little memory") }
        promise(file.rawSpan.extracting(first: list.byteCount).equals(list), "an accepted list encodes to itself")
        promise(file.count == list.byteCount + VaultHeader.checkLength, "the check is all that follows the list")
        exercise(state)
    }

    private static func built(by program: inout Program) -> FreshnessState {
        var state = FreshnessState()
        for _ in 0..<program.byte() % 64 {
            let isAccepted = program.byte() & 1 == 1
            let sighting = sighting(by: &program)
            let path = program.take(Int(program.byte() % 8))
            if isAccepted {
                state.accept(sighting, at: path)
                promise(state.finding(sighting, at: path) == nil, "what was accepted is expected")
            } else {
                let newest = state.newestGeneration(of: sighting.vaultID) ?? 0
                state.record(sighting, at: path)
                promise(state.newestGeneration(of: sighting.vaultID) ?? 0 >= newest, "a record goes forward")
            }
        }
        return state
    }

    private static func sighting(by program: inout Program) -> FreshnessSighting {
        let vault = program.byte() % 4
        let generation = program.number(program.byte() & 1 == 1 ? 8 : 1) >> 1
        return FreshnessSighting(
            vaultID: [UInt8](repeating: vault, count: 16), generation: max(generation, 1),
            check: [UInt8](repeating: program.byte(), count: 32),
            commitment: [UInt8](repeating: program.byte(), count: 32))
    }

    /// What has to hold for every state.
    private static func exercise(_ state: FreshnessState) {
        let counts = state.counts
        promise(counts.vaults <= FreshnessState.maximumVaults, "vaults are bounded")
        promise(counts.paths <= FreshnessState.maximumPaths, "paths are bounded")
        guard let file = try? state.file() else { return promise(false, "a state needs little memory") }
        promise(FreshnessState(file: file.rawSpan) == state, "a state that was written is read again")
        var flipped = file
        flipped[file.count / 2] ^= 1
        promise(FreshnessState(file: flipped.rawSpan) == nil, "damage is seen")
        let sighting = FreshnessSighting(
            vaultID: [UInt8](repeating: 1, count: 16), generation: 5, check: [UInt8](repeating: 9, count: 32),
            commitment: [UInt8](repeating: 9, count: 32))
        var changed = state
        changed.accept(sighting, at: [1])
        promise(changed.finding(sighting, at: [1]) == nil, "what was accepted is expected")
    }
}
