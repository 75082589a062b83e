import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

/// What stands in the file that the library writes.
@Suite struct FileTests {
    @Test("two saves of one content differ in nonce, box and check alone")
    func differingBytes() throws {
        let one = try TemporaryVault()
        let two = try TemporaryVault(create: false)
        try two.write(one.bytes())
        for place in [one, two] { try place.unlocked().set(.password, "the same") }
        let (first, second) = (try one.bytes(), try two.bytes())
        #expect(first.count == second.count)
        let header = try VaultHeader(first.rawSpan)
        let differing = Set(zip(first, second).enumerated().filter { $1.0 != $1.1 }.map(\.offset))
        let allowed = Set(40..<64).union(header.boxRange).union(header.boxRange.upperBound..<first.count)
        #expect(differing.isSubset(of: allowed))
        #expect(!differing.isDisjoint(with: 40..<64))
        // Of 4,112 random bytes about 16 happen to be equal.
        #expect(differing.intersection(header.boxRange).count > 4_000)
        #expect(differing.count > 4_080)
    }

    @Test("a reader that shares no code opens what the library saved")
    func independentReader() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let binary = try Secret(copying: [0xFF, 0x00, 0x01] as [UInt8])
        let text = try Secret.text("\u{65E5}\u{672C} \u{1F511}")
        try vault.update { draft in
            draft.set(.username, to: "ann")
            draft.set(.retries, to: .min)
            draft.set(.enabled, to: true)
            draft.set(.timeout, to: 0.1)
            draft.set(.password, to: text)
            draft.set(SecretKey("\u{E9}t\u{E9}"), to: binary)
        }
        try vault.changePassphrase(to: Secret.text("p\u{E4}ss\u{E4}"), derivation: TemporaryVault.cheap)
        // Decomposed, which the reader brings to NFC by itself.
        let passphrase = place.directory.appendingPathComponent("passphrase")
        try Data("pa\u{308}ssa\u{308}\n".utf8).write(to: passphrase)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            Repository.root.appendingPathComponent("Tests/Audit/test_helper.py").path,
            "settings", place.path, passphrase.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try #require(try output.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let values = try JSONDecoder().decode([String: PlainValue].self, from: data)
        #expect(values["username"] == .string("ann"))
        #expect(values["retries"] == .integer(.min))
        #expect(values["enabled"] == .boolean(true))
        #expect(values["timeout"] == .real(0.1.bitPattern))
        #expect(values["password"] == .string("\u{65E5}\u{672C} \u{1F511}"))
        #expect(values["\u{E9}t\u{E9}"] == .data([0xFF, 0x00, 0x01]))
        #expect(values.count == 6)
    }

    @Test("every truncation and every flipped bit of a file is damage, and no passphrase is tried")
    func damage() throws {
        let place = try TemporaryVault()
        let bytes = try place.bytes()
        for length in 0..<bytes.count {
            let error = Self.failure(of: Array(bytes.prefix(length)))
            #expect(error == (length < 8 ? .notAVault : .damaged(reason: "")), "\(length) bytes")
        }
        for bit in 0..<bytes.count * 8 where bit < 1_000 || bit % 41 == 0 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = Self.failure(of: flipped)
            #expect(error == (bit < 64 ? .notAVault : .damaged(reason: "")), "bit \(bit)")
        }
        #expect(Self.failure(of: bytes) == nil)
    }

    /// The failure with its reason left out.
    private static func failure(of bytes: [UInt8]) -> VaultFileError? {
        do throws(VaultFileError) {
            _ = try VaultHeader(bytes.rawSpan)
            return nil
        } catch {
            if case .damaged = error { return .damaged(reason: "") }
            return error
        }
    }

    @Test("reading writes nothing, also in a directory that nobody may write")
    func readOnly() throws {
        let place = try TemporaryVault()
        try place.unlocked().set(.password, "secret")
        let before = try place.files()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: place.path)
        try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place.directory.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.directory.path) }
        #expect(try place.unlocked().text(of: .password) == "secret")
        _ = try place.handle().inspect()
        #expect(try place.files() == before)
    }
}
