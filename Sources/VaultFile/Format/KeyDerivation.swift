internal import SecureMemory

/// What a passphrase is turned into a key with: the KDF block of the header.
///
/// Specified in the file format, *Bytes*: the bytes 12 to 40.
package struct KeyDerivation: Equatable, Sendable {
    package static let blockLength = 28

    /// The passes over the memory.
    package let passes: UInt32
    /// The memory, in KiB.
    package let memoryKiB: UInt32
    /// 16 bytes, new whenever the passphrase or the cost is.
    package let salt: [UInt8]

    package init(passes: UInt32, memoryKiB: UInt32, salt: [UInt8]) {
        self.passes = passes
        self.memoryKiB = memoryKiB
        self.salt = salt
    }

    /// Draws a new salt for a cost.
    package init(passes: UInt32, memoryKiB: UInt32) {
        var salt = [UInt8](repeating: 0, count: Argon2id.saltLength)
        SecureRandom.fill(&salt)
        self.init(passes: passes, memoryKiB: memoryKiB, salt: salt)
    }

    /// The 28 bytes as they stand in the header.
    package var block: [UInt8] {
        [1, 1, 0, 0] + passes.littleEndianBytes + memoryKiB.littleEndianBytes + salt
    }

    /// Checks the cost against what readers accept.
    ///
    /// - Throws: `limitExceeded` with the field ops, mem or ops*mem.
    package func checkReadable() throws(VaultFileError) {
        try Limits.check("ops", UInt64(passes), in: UInt64(Limits.passes.lowerBound)...UInt64(Limits.passes.upperBound))
        try Limits.check(
            "mem", UInt64(memoryKiB), in: UInt64(Limits.memoryKiB.lowerBound)...UInt64(Limits.memoryKiB.upperBound))
        try Limits.check("ops*mem", UInt64(passes) * UInt64(memoryKiB), in: 0...Limits.passesTimesMemory)
    }

    /// Checks the cost against what a writer may choose anew.
    ///
    /// - Throws: `limitExceeded` with the field ops, mem or ops*mem.
    package func checkWritable() throws(VaultFileError) {
        try checkReadable()
        try Limits.check("ops", UInt64(passes), in: UInt64(Limits.writtenPasses)...UInt64(Limits.passes.upperBound))
        try Limits.check(
            "mem", UInt64(memoryKiB), in: UInt64(Limits.writtenMemoryKiB)...UInt64(Limits.memoryKiB.upperBound))
    }

    /// Whether a writer of today would choose a higher cost.
    package var isWeak: Bool { passes < Limits.writtenPasses || memoryKiB < Limits.writtenMemoryKiB }

    /// Checks the memory against half of what the machine has, which the system might end this process for.
    ///
    /// - Parameter available: the smallest of physical memory and the limits of the cgroup and of all groups above it,
    ///   in bytes.
    /// - Throws: `limitExceeded` with the field mem.
    package func checkAffordable(available: UInt64) throws(VaultFileError) {
        guard memoryKiB > Limits.unaskedMemoryKiB else { return }
        // What needs no asking stays allowed on the smallest machine.
        let half = max(available / 2 / 1024, UInt64(Limits.unaskedMemoryKiB))
        guard UInt64(memoryKiB) <= half else {
            throw .limitExceeded(field: "mem", value: UInt64(memoryKiB), bound: half)
        }
    }
}

extension Limits {
    /// Checks a field of the header, and names the bound that was passed.
    static func check(_ field: String, _ value: UInt64, in range: ClosedRange<UInt64>) throws(VaultFileError) {
        if value > range.upperBound { throw .limitExceeded(field: field, value: value, bound: range.upperBound) }
        if value < range.lowerBound { throw .limitExceeded(field: field, value: value, bound: range.lowerBound) }
    }
}
