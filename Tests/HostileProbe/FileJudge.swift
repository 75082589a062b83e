import Coffer
import Glibc
import PropertyLists
import SecureMemory
import TestSupport
import VaultFile

/// What is said of a record, in the words of the file format.
struct Answer: Equatable {
    var outcome: String
    private var field = "-"
    private var value = "-"
    private var bound = "-"
    /// Where there are values: their one encoding, made anew from what was read.
    var values: [UInt8] = []

    init(_ outcome: String, field: String = "-") {
        self.outcome = outcome
        self.field = field
    }

    init(_ error: VaultError) {
        outcome = error.className.isEmpty ? "\(error)".replacing(" ", with: "_") : error.className
        switch error {
        case .unsupportedVersion(let version): value = "\(version)"
        case .unsupportedFeature(let field, let value): (self.field, self.value) = (field, "\(value)")
        case .limitExceeded(let field, let value, let bound):
            (self.field, self.value, self.bound) = (field, "\(value)", "\(bound)")
        default: break
        }
    }

    init(_ error: VaultFileError) {
        outcome = error.className
        if case .limitExceeded(let field, let value, let bound) = error {
            (self.field, self.value, self.bound) = (field, "\(value)", "\(bound)")
        }
    }

    func line(_ cost: Meter.Cost) -> String {
        let costs = [
            Int(cost.clockNanoseconds), Int(cost.processorNanoseconds), cost.residentKiB, cost.addressKiB,
            Int(cost.derivationNanoseconds),
        ]
        return ([outcome, field, value, bound] + costs.map { "\($0)" } + [spelledValues]).joined(separator: " ")
    }

    /// In hex, or how many they are where nobody could read them.
    private var spelledValues: String {
        if values.isEmpty { return "-" }
        if values.count > 1 << 17 { return "#\(values.count)" }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: values.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}

/// Judges files as the library does, from the disk on; but a key is derived once for each KDF block.
struct FileJudge {
    let path: String
    var passphrase: [UInt8] = []
    /// Where the file stands that a passphrase is for: in its place, unless a fault is planted.
    var unlockedPath: String

    init(path: String) { (self.path, unlockedPath) = (path, path) }

    struct NotWritten: Error { let errno: Int32 }

    /// Reads a file as far as it goes without a passphrase, steps 1 to 6 of the reading order; what is refused there has
    /// to be refused with one too, for the same reason and before a key is derived.
    func inspect(_ file: [UInt8], _ meter: inout Meter) throws -> Answer {
        try place(file)
        let vault = Vault(at: .file(path))
        let failure = try meter.measure { Self.failure { () throws(VaultError) in _ = try vault.inspect() } }
        guard let failure else { return Answer("admitted") }
        let unlocked = Vault(at: .file(unlockedPath))
        let secret = try Secret(copying: passphrase)
        let refusal = try meter.measure { Self.failure { () throws(VaultError) in try unlocked.unlock(secret) } }
        guard let refusal, Answer(refusal) == Answer(failure) else {
            return Answer("unlocking_says_\(refusal.map { Answer($0).outcome } ?? "success")")
        }
        return Answer(failure)
    }

    /// Opens a file, steps 1 to 10, and reads all settings.
    func open(_ file: [UInt8], _ meter: inout Meter) throws -> Answer {
        let admission = try inspect(file, &meter)
        guard admission.outcome == "admitted" else { return admission }
        let derived = meter.measureDerivation {
            Result { () throws(VaultFileError) in
                let derivation = try VaultHeader(file.rawSpan).keyDerivation
                try derivation.checkAffordable(available: VaultSurroundings().availableMemory())
                return try DerivedKeys.key(of: passphrase, derivation)
            }
        }
        let master: MasterKey
        switch derived {
        case .success(let key): master = key
        case .failure(let error): return Answer(error)
        }
        let key = Secret(try master.copy())
        let vault = Vault(at: .file(path))
        let failure = try meter.measure { Self.failure { () throws(VaultError) in try vault.unlock(key: key) } }
        if let failure { return Answer(failure) }
        var answer = Answer("success")
        let values = try vault.withSettings { (reader) throws(VaultError) in Result { try PlainValue(0, of: reader) } }
        answer.values = try values.get().list()
        vault.lock()
        return answer
    }

    private static func failure(_ body: () throws(VaultError) -> Void) -> VaultError? {
        do throws(VaultError) { try body() } catch { return error }
        return nil
    }

    private func place(_ file: [UInt8]) throws {
        let descriptor = unsafe creat(path, 0o600)
        guard descriptor >= 0 else { throw NotWritten(errno: errno) }
        defer { close(descriptor) }
        let written = unsafe file.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard written == file.count else { throw NotWritten(errno: errno) }
    }
}
