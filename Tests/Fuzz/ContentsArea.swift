import PropertyLists
import SecureMemory
import VaultFile

/// A decrypted vault that a holder of the key wrote: the settings, and metadata that fit or contradict them.
enum ContentsArea {
    static func run(_ input: RawSpan) {
        var program = Program(input)
        do {
            guard var plaintext = try plaintext(&program) else { return }
            _ = program.edit(&plaintext)
            let contents: VaultPlaintext
            do throws(VaultFileError) { contents = try VaultPlaintext(plaintext) } catch {
                guard case .invalidContents = error else { throw error }
                return
            }
            CheckedList.exercise(contents.settings)
            if contents.metadata.byteCount > 0 { CheckedList.exercise(contents.metadata) }
            try save(contents)
            try changePassphrase(contents)
        } catch {
            promise(false, "accepted contents can be read and saved: \(error)")
        }
    }

    /// The inner header, both lists and the padding.
    private static func plaintext(_ program: inout Program) throws -> GuardedBuffer? {
        let choice = program.byte()
        let generation = choice & 1 == 0 ? 1 + UInt64(choice >> 1) : program.number(8)
        guard let settings = program.list(isDictionary: true) else { return nil }
        program.digest = try BLAKE2b.digest("coffer1-ages", of: settings.bytes, digestLength: 16)
        guard let metadata = choice & 2 == 0 ? program.list(isDictionary: true) : try GuardedBuffer(count: 0) else {
            return nil
        }
        let header =
            [UInt8](repeating: 0x30, count: VaultPlaintext.idLength) + generation.littleEndianBytes
            + UInt32(settings.count).littleEndianBytes + UInt32(metadata.count).littleEndianBytes
        let settingsEnd = header.count + settings.count
        var plaintext = try GuardedBuffer(count: Padding.padded(settingsEnd + metadata.count))
        plaintext.copy(from: header.rawSpan, at: 0)
        plaintext.copy(from: settings.bytes, at: header.count)
        plaintext.copy(from: metadata.bytes, at: settingsEnd)
        return plaintext
    }

    /// What the next save composes is accepted too.
    private static func save(_ contents: VaultPlaintext) throws {
        guard contents.generation < Limits.generation else { return }
        let next = try contents.next(changes: [], values: RawSpan(), now: 1)
        let read = try VaultPlaintext(GuardedBuffer(copying: next.bytes))
        promise(read.generation == contents.generation + 1, "a save is one generation")
        promise(read.settings.equals(contents.settings), "a save without changes keeps the settings")
        var values = try GuardedArena(capacity: 64)
        let value = try LeafList.append(boolean: true, to: &values)
        let now = Int64(bitPattern: contents.generation)
        let changes = [
            SettingsChange(name: Array("a".utf8), value: value),
            SettingsChange(name: Array("b".utf8), value: nil, origin: nil, predecessor: .setting(Array("b".utf8))),
        ]
        let changed = try contents.next(changes: changes, values: values.bytes, now: now)
        let changedRead = try VaultPlaintext(GuardedBuffer(copying: changed.bytes))
        promise(try changedRead.hasCurrentAges(), "a save with changes writes ages")
        guard changedRead.generation < Limits.generation else { return }
        // A second one finds the history that the first one wrote.
        let again = [SettingsChange(name: Array("a".utf8), value: nil)]
        let last = try changedRead.next(changes: again, values: RawSpan(), now: now)
        _ = try VaultPlaintext(GuardedBuffer(copying: last.bytes))
    }

    private static let key = Result {
        try MasterKey(
            GuardedBuffer(count: MasterKey.length),
            keyDerivation: KeyDerivation(passes: 3, memoryKiB: 65_536, salt: [UInt8](repeating: 0, count: 16)))
    }

    /// Slots are remade for recipients whose keys are any bytes.
    private static func changePassphrase(_ contents: VaultPlaintext) throws {
        guard contents.metadata.byteCount > 0,
            PropertyListReader(trusted: contents.metadata).find("recipients", in: 0) != nil
        else { return }
        let remade = try Metadata.remade([], metadata: contents.metadata, settings: contents.settings, key: key.get())
        promise(remade.slots.count <= Limits.slotCount, "there are no more slots than allowed")
        if remade.metadata.count > 0 { try Metadata.check(remade.metadata.bytes, settings: contents.settings) }
    }
}
