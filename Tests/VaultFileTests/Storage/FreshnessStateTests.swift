import PropertyLists
import SecureMemory
import Testing
import VaultFile

/// What is known of vaults as a value: how files are judged by it, and how it changes.
@Suite struct FreshnessStateTests {
    static let path = Array("/home/ann/a.coffer".utf8)

    /// A file of a vault; the check tells saves of one generation apart, the key stands for a passphrase.
    static func sighting(
        _ generation: UInt64, of vault: UInt8 = 1, check: UInt8 = 0, key: UInt8 = 1
    ) -> FreshnessSighting {
        FreshnessSighting(
            vaultID: [UInt8](repeating: vault, count: 16), generation: generation,
            check: [check] + [UInt8](repeating: UInt8(truncatingIfNeeded: generation), count: 31),
            commitment: [UInt8](repeating: key, count: 32))
    }

    private static func state(_ sightings: FreshnessSighting...) -> FreshnessState {
        var state = FreshnessState()
        for sighting in sightings { state.record(sighting, at: path) }
        return state
    }

    @Test("the first sight of a vault says nothing, nor does what follows it")
    func first() {
        #expect(FreshnessState().finding(Self.sighting(7), at: Self.path) == nil)
        #expect(FreshnessState().finding(Self.sighting(7), at: nil, isOpenedByCode: true) == nil)
        let state = Self.state(Self.sighting(7))
        #expect(state.finding(Self.sighting(7), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(8), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(9, key: 2), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(1, of: 2), at: Array("/elsewhere".utf8)) == nil)
    }

    @Test("what does not follow is said in the order of the format")
    func order() {
        let state = Self.state(Self.sighting(4, key: 1), Self.sighting(7, key: 2), Self.sighting(1, of: 9))
        let elsewhere = Array("/backup".utf8)
        #expect(state.finding(Self.sighting(6, key: 2), at: Self.path) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(6, key: 2), at: elsewhere) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(6, key: 2), at: nil) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(8, key: 1), at: Self.path) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(7, check: 1, key: 2), at: Self.path) == .forked)
        #expect(state.finding(Self.sighting(7, check: 1, key: 1), at: Self.path) == .rolledBack(newest: 7))
        // The path was first seen with the first vault.
        #expect(state.finding(Self.sighting(1, of: 9), at: Self.path) == .replaced)
        #expect(state.finding(Self.sighting(1, of: 8), at: Self.path) == .replaced)
        #expect(state.finding(Self.sighting(1, of: 9), at: elsewhere) == nil)
    }

    @Test("a key that was not seen here is told when a recovery code opened it, and then last")
    func rekeyed() {
        let state = Self.state(Self.sighting(4, key: 1), Self.sighting(7, key: 2))
        #expect(state.finding(Self.sighting(8, key: 3), at: Self.path, isOpenedByCode: true) == .rekeyed)
        #expect(state.finding(Self.sighting(8, key: 3), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(8, key: 2), at: Self.path, isOpenedByCode: true) == nil)
        #expect(state.finding(Self.sighting(8, key: 1), at: nil, isOpenedByCode: true) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(6, key: 3), at: nil, isOpenedByCode: true) == .rolledBack(newest: 7))
        #expect(state.finding(Self.sighting(7, check: 1, key: 3), at: nil, isOpenedByCode: true) == .forked)
        #expect(state.finding(Self.sighting(1, of: 3), at: Self.path, isOpenedByCode: true) == .replaced)
    }

    @Test("whoever records late moves nothing back, and still tells which key was replaced")
    func forward() {
        var state = Self.state(Self.sighting(3, key: 1), Self.sighting(9, key: 3))
        state.record(Self.sighting(5, key: 2), at: Self.path)
        #expect(state.newestGeneration(of: Self.sighting(1).vaultID) == 9)
        #expect(state.finding(Self.sighting(10, key: 2), at: Self.path) == .rolledBack(newest: 9))
        let before = state
        state.record(Self.sighting(9, check: 1, key: 3), at: Self.path)
        state.record(Self.sighting(12, key: 1), at: Self.path)
        state.record(Self.sighting(9, key: 3), at: Self.path)
        state.record(Self.sighting(8, key: 3), at: Self.path)
        #expect(state == before)
        // Another process has put another vault there, on purpose.
        state.accept(Self.sighting(1, of: 2), at: Self.path)
        state.record(Self.sighting(10, key: 3), at: Self.path)
        #expect(state.finding(Self.sighting(1, of: 2), at: Self.path) == nil)
        #expect(state.newestGeneration(of: Self.sighting(1).vaultID) == 10)
    }

    @Test("what is accepted is what is expected from then on, and what was newer may come back")
    func acceptance() {
        let newest = Self.sighting(9, key: 3)
        let seen = Self.state(Self.sighting(2, key: 1), Self.sighting(5, key: 2), newest)
        var state = seen
        state.accept(Self.sighting(4, key: 2), at: Self.path)
        #expect(state.finding(Self.sighting(4, key: 2), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(5, key: 2), at: Self.path) == nil)
        #expect(state.finding(Self.sighting(3, key: 2), at: Self.path) == .rolledBack(newest: 4))
        #expect(state.finding(Self.sighting(5, key: 1), at: Self.path) == .rolledBack(newest: 4))
        #expect(state.finding(newest, at: Self.path) == nil)

        state = seen
        state.accept(Self.sighting(9, check: 1, key: 4), at: Self.path)
        #expect(state.finding(Self.sighting(9, check: 1, key: 4), at: Self.path) == nil)
        #expect(state.finding(newest, at: Self.path) == .rolledBack(newest: 9))

        state = seen
        state.accept(Self.sighting(1, of: 2), at: Self.path)
        #expect(state.finding(Self.sighting(1, of: 2), at: Self.path) == nil)
        #expect(state.finding(newest, at: Self.path) == .replaced)
        #expect(state.finding(newest, at: nil) == nil)
    }

    @Test("what was created or accepted while a file was read is expected too")
    func meanwhile() {
        let before = Self.state(Self.sighting(9))
        var after = before
        after.accept(Self.sighting(1, of: 2), at: Self.path)
        after.record(Self.sighting(2, of: 2), at: Self.path)
        func finding(_ sighting: FreshnessSighting, _ after: FreshnessState) -> FreshnessFinding? {
            FreshnessState.finding(sighting, at: Self.path, before: before) { after }
        }
        // Read between the creation and the next save of the new vault.
        #expect(finding(Self.sighting(1, of: 2), after) == nil)
        #expect(finding(Self.sighting(1, of: 3), after) == .replaced)
        #expect(finding(Self.sighting(8), before) == .rolledBack(newest: 9))
        var accepted = before
        accepted.accept(Self.sighting(5), at: Self.path)
        #expect(finding(Self.sighting(5), accepted) == nil)
        #expect(finding(Self.sighting(4), accepted) == .rolledBack(newest: 9))
        // A save after the state was read is no reason for a second look.
        #expect(
            FreshnessState.finding(Self.sighting(10), at: Self.path, before: before) {
                Issue.record("looked again")
                return FreshnessState()
            } == nil)
    }

    @Test("vaults, paths and replaced keys are bounded, and the oldest go first")
    func bounds() throws {
        var list = FreshnessList()
        list.ids = (0..<FreshnessState.maximumVaults).map { FreshnessList.id($0) }
        list.paths = (0..<FreshnessState.maximumPaths).map { FreshnessList.id($0) }
        list.replaced = []
        let bytes = try list.bytes()
        let full = FreshnessState(list: bytes.rawSpan)
        var state = try #require(full)
        // The first one changes, so it is no longer the oldest.
        let first = FreshnessSighting(
            vaultID: FreshnessList.id(0), generation: 2, check: FreshnessList.digest, commitment: FreshnessList.digest)
        state.record(first, at: FreshnessList.id(0))
        state.record(Self.sighting(1, of: 0xEE), at: Self.path)
        #expect(state.counts == (FreshnessState.maximumVaults, FreshnessState.maximumPaths))
        #expect(state.newestGeneration(of: FreshnessList.id(0)) == 2)
        #expect(state.newestGeneration(of: FreshnessList.id(1)) == nil)
        #expect(state.newestGeneration(of: FreshnessList.id(2)) == 1)
        #expect(state.newestGeneration(of: Self.sighting(1, of: 0xEE).vaultID) == 1)
        #expect(state.finding(Self.sighting(1, of: 0xDD), at: FreshnessList.id(0)) == nil)
        #expect(state.finding(Self.sighting(1, of: 0xDD), at: FreshnessList.id(1)) == .replaced)
        // A path that no file can have is not kept.
        let before = state
        state.accept(Self.sighting(1, of: 0xEE), at: [UInt8](repeating: 0x61, count: 4_097))
        state.accept(Self.sighting(1, of: 0xEE), at: [])
        #expect(state == before)

        state = FreshnessState()
        for key in 1...101 { state.record(Self.sighting(UInt64(key), key: UInt8(key)), at: nil) }
        #expect(state.finding(Self.sighting(200, key: 100), at: nil) == .rolledBack(newest: 101))
        #expect(state.finding(Self.sighting(200, key: 37), at: nil) == .rolledBack(newest: 101))
        #expect(state.finding(Self.sighting(200, key: 36), at: nil) == nil)
    }

    @Test("the largest state that the limits allow fits into a file, which is read again")
    func largest() throws {
        var list = FreshnessList()
        list.generation = .max
        list.ids = (0..<FreshnessState.maximumVaults).map { FreshnessList.id($0) }
        list.replaced = (0..<FreshnessState.maximumReplaced).map { [UInt8](repeating: UInt8($0 + 2), count: 32) }
        let filling = [UInt8](repeating: 0xFF, count: FreshnessState.maximumPathLength - 16)
        list.paths = (0..<FreshnessState.maximumPaths).map { filling + FreshnessList.id($0) }
        let bytes = try list.bytes()
        let largest = FreshnessState(list: bytes.rawSpan)
        let state = try #require(largest)
        let file = try state.file()
        #expect(Array(file.dropLast(32)) == bytes)
        #expect(file.count <= FreshnessState.maximumFileSize)
        let again = FreshnessState(file: file.rawSpan)
        #expect(again == state)
    }
}
