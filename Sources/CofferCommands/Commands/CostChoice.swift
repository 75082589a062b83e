package import Coffer
internal import Glibc
internal import SecureMemory
internal import VaultFile

/// How expensive the passphrase of a vault shall be to guess.
package enum CostChoice {
    static let options: [CommandOption] = [.cost, .target]

    static let detail =
        "--cost moderate (3 passes over 256 MiB) takes about half a second on a desktop, sensitive (4 over 1 GiB) some "
        + "seconds. PASSES,MEMORY names both: 3 to 16 passes over 64M to 1G, such as 4,512M. --target 1s measures this "
        + "machine and takes what lasts about that long."

    /// What the options say, or nothing when none was given.
    static func chosen(in arguments: Arguments) throws(Failure) -> KeyDerivationCost? {
        switch (arguments.value(of: .cost), arguments.value(of: .target)) {
        case (nil, nil): return nil
        case (_?, _?): throw .usage("--cost and --target exclude each other")
        case ("moderate"?, nil): return .moderate
        case ("sensitive"?, nil): return .sensitive
        case (let text?, nil):
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let passes = whole(parts[0]), let memory = memoryKiB(parts[1]) else {
                throw .usage("--cost is moderate, sensitive or PASSES,MEMORY", hint: "such as --cost 4,512M")
            }
            return try checked(passes: passes, memoryKiB: memory)
        case (nil, let text?):
            guard let seconds = seconds(text), (0.05...60).contains(seconds) else {
                throw .usage("--target is a time from 50ms to 60s", hint: "such as --target 1s")
            }
            return try measured(seconds)
        }
    }

    /// Says which cost was chosen, and warns of one that is lower than it was before.
    static func tell(_ cost: KeyDerivationCost, before: KeyDerivationCost?, to console: Console) {
        console.note("cost: \(text(cost))")
        guard let before, work(cost) < work(before) || cost.memoryKiB < before.memoryKiB else { return }
        console.warning("that is cheaper to guess than before: \(text(before))")
    }

    private static func work(_ cost: KeyDerivationCost) -> UInt64 { UInt64(cost.passes) * UInt64(cost.memoryKiB) }

    private static func text(_ cost: KeyDerivationCost) -> String {
        let memory = cost.memoryKiB
        let size =
            memory % 1_048_576 == 0
            ? "\(memory / 1_048_576) GiB" : memory % 1024 == 0 ? "\(memory / 1024) MiB" : "\(memory) KiB"
        return "\(cost.passes) passes over \(size)"
    }

    private static func checked(passes: UInt32, memoryKiB: UInt32) throws(Failure) -> KeyDerivationCost {
        guard (Limits.writtenPasses...Limits.passes.upperBound).contains(passes) else {
            throw .usage("--cost takes 3 to 16 passes")
        }
        guard (Limits.writtenMemoryKiB...Limits.memoryKiB.upperBound).contains(memoryKiB) else {
            throw .usage("--cost takes a memory of 64M to 1G")
        }
        guard UInt64(passes) * UInt64(memoryKiB) <= Limits.passesTimesMemory else {
            throw .usage("--cost: passes times memory is at most 4G", hint: "4 passes for 1G, 8 for 512M, 16 for 256M")
        }
        return KeyDerivationCost(passes: passes, memoryKiB: memoryKiB)
    }

    // KiB unless a letter says otherwise.
    private static func memoryKiB(_ text: Substring) -> UInt32? {
        let factor: UInt32
        switch text.last {
        case "K": factor = 1
        case "M": factor = 1024
        case "G": factor = 1024 * 1024
        default: return whole(text)
        }
        guard let number = whole(text.dropLast()) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    private static func seconds(_ text: String) -> Double? {
        if text.hasSuffix("ms") { return decimal(text.dropLast(2)).map { $0 / 1000 } }
        return text.hasSuffix("s") ? decimal(text.dropLast()) : nil
    }

    // Digits alone: what else Swift takes for a number (signs, hexadecimal, names) is a slip here.
    private static func whole(_ text: Substring) -> UInt32? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(text) : nil
    }

    private static func decimal(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } ? Double(text) : nil
    }

    // One pass over the default memory tells what the machine does in a second.
    private static func measured(_ seconds: Double) throws(Failure) -> KeyDerivationCost {
        let salt = try guarded { () throws(SecureMemoryError) in try GuardedBuffer(count: Argon2id.saltLength) }
        let probe: UInt32 = 262_144
        let start = now()
        do throws(VaultFileError) {
            _ = try Argon2id.derive(salt.bytes, salt: salt.bytes, passes: 1, memoryKiB: probe)
        } catch {
            throw Failure(.notEnoughMemory, "there is not enough memory to measure with: \(probe) KiB are needed")
        }
        let rate = Double(probe) / max(now() - start, 0.001)
        let cost = fitting(rate * seconds)
        return try checked(passes: cost.passes, memoryKiB: cost.memoryKiB)
    }

    /// The cost that comes nearest to an amount of work, and is never below what a vault may be written with.
    ///
    /// - Parameter work: passes times KiB.
    package static func fitting(_ work: Double) -> KeyDerivationCost {
        let budget = min(max(work, 0), 4_194_304)
        let least = Double(Limits.writtenPasses)
        var memory = 262_144.0
        var passes = (budget / memory).rounded()
        if passes < least { (passes, memory) = (least, max(Double(Limits.writtenMemoryKiB), budget / least)) }
        return KeyDerivationCost(passes: UInt32(passes), memoryKiB: UInt32(memory) / 1024 * 1024)
    }

    private static func now() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension CommandOption {
    static let cost = CommandOption("cost", "COST", "moderate (unless told), sensitive, or PASSES,MEMORY")
    static let newCost = CommandOption(
        "cost", "COST", "moderate, sensitive or PASSES,MEMORY; the vault's own (unless told), a weak one is raised")
    static let target = CommandOption("target", "TIME", "the cost that takes about TIME on this machine")
}
