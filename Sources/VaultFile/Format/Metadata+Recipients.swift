internal import PropertyLists
package import SecureMemory

extension Metadata {
    /// The slots of a vault under another key, and what could not be kept.
    package struct RemadeSlots: ~Copyable {
        package fileprivate(set) var slots: [Slot] = []
        /// Slots that nobody can remake: of an unknown type, of another owner, or of a vault without owner.
        package fileprivate(set) var droppedSlots = 0
        /// Recipients whose key is no point that a slot can be made for; they leave the metadata too.
        package fileprivate(set) var droppedRecipients = 0
        /// The metadata from now on.
        package fileprivate(set) var metadata: GuardedBuffer
    }

    /// Remakes the recipients' slots for a new key, from the owner and the recipients in the metadata.
    ///
    /// Specified in the file format, *Slots: recovery and sharing*.
    ///
    /// - Parameters:
    ///   - slots: the slots under the old key.
    ///   - metadata: a checked dictionary, or nothing.
    ///   - key: the new key.
    package static func remade(
        _ slots: [Slot], metadata: RawSpan, key: MasterKey
    ) throws(VaultFileError) -> RemadeSlots {
        var result = RemadeSlots(metadata: try GuardedBuffer(copyOf: metadata))
        result.droppedSlots = slots.count
        guard metadata.byteCount > 0 else { return result }
        let reader = PropertyListReader(trusted: metadata)
        guard let owner = reader.find("owner", in: 0) else { return result }
        let ownerSecret = reader.data(owner)
        let ownerKey = X25519.publicKey(of: ownerSecret)
        result.droppedSlots = slots.filter { !$0.isMade(by: ownerKey) }.count
        guard let recipients = reader.find("recipients", in: 0) else { return result }

        var kept: [Int] = []
        for index in 0..<reader.count(of: recipients) {
            let entry = reader.element(index, of: recipients)
            guard let recipient = reader.find("key", in: entry) else { continue }
            if let slot = try slot(for: reader.data(recipient), owner: ownerSecret, key: key) {
                result.slots.append(slot)
                kept.append(entry)
            } else {
                result.droppedRecipients += 1
            }
        }
        if result.droppedRecipients > 0 {
            let list = try list(of: kept, in: reader)
            result.metadata = try replacing("recipients", with: list.bytes, in: metadata)
        }
        return result
    }

    private static func slot(for recipient: RawSpan, owner: RawSpan, key: MasterKey) throws(VaultFileError) -> Slot? {
        var random = [UInt8](repeating: 0, count: 32)
        SecureRandom.fill(&random)
        return try key.withBytes { (master) throws(VaultFileError) in
            try Slot.seal(master: master, for: recipient, owner: owner, random: random.rawSpan)
        }
    }

    private static func list(of entries: [Int], in reader: PropertyListReader) throws(VaultFileError) -> GuardedBuffer {
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try builder.beginArray()
            for entry in entries { try builder.copy(entry, of: reader) }
            try builder.endArray()
            return try builder.finish(maximumDepth: Limits.metadataDepth)
        } catch {
            throw VaultFileError(writing: error)
        }
    }
}

extension Slot {
    /// Whether it is a recipient's slot in the name of an owner.
    fileprivate func isMade(by owner: [UInt8]) -> Bool {
        type == Self.recipientType && Array(data.prefix(X25519.keyLength)) == owner
    }
}
