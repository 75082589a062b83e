internal import PropertyLists
package import SecureMemory

extension Metadata {
    /// The slots of a vault under another key, and what could not be kept.
    package struct RemadeSlots: ~Copyable {
        package let slots: [Slot]
        /// Slots that nobody can remake: of an unknown type, of another owner, or of no recipient.
        package let droppedSlots: Int
        /// Recipients whose key is no point that a slot can be made for; they leave the metadata too.
        package let droppedRecipients: Int
        /// The metadata from now on.
        package let metadata: GuardedBuffer
    }

    /// Remakes the recipients' slots for a new key, from the owner and the recipients in the metadata.
    ///
    /// Specified in the file format, *Slots: recovery and sharing*.
    ///
    /// - Parameters:
    ///   - slots: the slots under the old key.
    ///   - metadata: a checked dictionary, or nothing.
    ///   - settings: the settings, which stay as they are.
    ///   - key: the new key.
    package static func remade(
        _ slots: [Slot], metadata: RawSpan, settings: RawSpan, key: MasterKey
    ) throws(VaultFileError) -> RemadeSlots {
        let isCurrent = try isCurrent(metadata, settings: settings)
        let kept = try kept(metadata, isCurrent: isCurrent)
        guard kept.count > 0 else {
            return RemadeSlots(slots: [], droppedSlots: slots.count, droppedRecipients: 0, metadata: kept)
        }
        let (remade, unusable) = try remade(for: kept, key: key)
        // Whose slot is whose cannot be seen, but slots of this owner beyond the recipients' are nobody's now.
        let owned = try ownSlots(among: slots, metadata: kept)
        let dropped = slots.count - owned + max(0, owned - remade.count)
        return RemadeSlots(
            slots: remade, droppedSlots: dropped, droppedRecipients: unusable.count,
            metadata: try without(unusable, in: kept))
    }

    /// Makes a slot for each recipient.
    ///
    /// - Returns: the slots, and the places of the recipients that none can be made for.
    private static func remade(
        for metadata: borrowing GuardedBuffer, key: MasterKey
    ) throws(VaultFileError) -> (slots: [Slot], unusable: [Int]) {
        let reader = PropertyListReader(trusted: metadata.bytes)
        guard let owner = reader.find("owner", in: 0), let recipients = reader.find("recipients", in: 0) else {
            return ([], [])
        }
        var result: (slots: [Slot], unusable: [Int]) = ([], [])
        for index in 0..<reader.count(of: recipients) {
            let entry = reader.element(index, of: recipients)
            if let recipient = reader.find("key", in: entry),
                let slot = try slot(for: reader.data(recipient), owner: reader.data(owner), key: key)
            {
                result.slots.append(slot)
            } else {
                result.unusable.append(index)
            }
        }
        return result
    }

    private static func ownSlots(
        among slots: [Slot], metadata: borrowing GuardedBuffer
    ) throws(VaultFileError) -> Int {
        let reader = PropertyListReader(trusted: metadata.bytes)
        guard let owner = reader.find("owner", in: 0) else { return 0 }
        let ownerKey = X25519.publicKey(of: reader.data(owner))
        return slots.filter { $0.isMade(by: ownerKey) }.count
    }

    /// The metadata without some of its recipients.
    private static func without(
        _ places: [Int], in metadata: borrowing GuardedBuffer
    ) throws(VaultFileError) -> GuardedBuffer {
        let reader = PropertyListReader(trusted: metadata.bytes)
        guard !places.isEmpty, let recipients = reader.find("recipients", in: 0) else {
            return try GuardedBuffer(copyOf: metadata.bytes)
        }
        let list: GuardedBuffer
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try builder.beginArray()
            for index in 0..<reader.count(of: recipients) where !places.contains(index) {
                try builder.copy(reader.element(index, of: recipients), of: reader)
            }
            try builder.endArray()
            list = try builder.finish(maximumDepth: Limits.metadataDepth)
        } catch {
            throw VaultFileError(writing: error, maximumDepth: Limits.metadataDepth)
        }
        return try replacing("recipients", with: list.bytes, in: metadata.bytes)
    }

    private static func slot(for recipient: RawSpan, owner: RawSpan, key: MasterKey) throws(VaultFileError) -> Slot? {
        var random = [UInt8](repeating: 0, count: 32)
        SecureRandom.fill(&random)
        return try key.withBytes { (master) throws(VaultFileError) in
            try Slot.seal(master: master, for: recipient, owner: owner, random: random.rawSpan)
        }
    }
}

extension Slot {
    /// Whether it is a recipient's slot in the name of an owner.
    fileprivate func isMade(by owner: [UInt8]) -> Bool {
        type == Self.recipientType && Array(data.prefix(X25519.keyLength)) == owner
    }
}
