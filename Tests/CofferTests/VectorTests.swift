import Coffer
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// The vectors through the library's own door: real files, real derivations, and the error that an app gets.
@Suite struct VectorTests {
    @Test("each file that a passphrase opens or does not gives its class", arguments: VectorFile.everywhere)
    func unlocking(of place: VectorFile.Place) throws {
        let vector = try place.load()
        // The library has no way in for codes yet; all else is the same for them.
        guard let passphrase = vector.passphrase else { return try inspection(of: vector) }
        let fixture = try vector.placed()
        let vault = fixture.remembering()
        let expected = try Expected(vector, passphrase)
        do throws(VaultError) {
            try vault.unlock(Secret(copying: passphrase), allowingAnyMemory: true)
            #expect(expected.outcome == "success")
        } catch {
            #expect(error.className == expected.outcome)
            expected.compare(error)
            #expect(!vault.isUnlocked)
            return
        }
        #expect(fixture.remembered().newestGeneration(of: vector.bytes(.vaultID) ?? []) == vector.number(.generation))
        if let settings = vector.list(.settingsJSON) { try Self.compare(vault, with: settings) }
    }

    /// What the library is to say. It brings text to NFC first, so some vectors are of another passphrase to it.
    private struct Expected {
        let outcome: String
        let numbers: (field: String?, value: UInt64?, bound: UInt64?)

        init(_ vector: VectorFile, _ passphrase: [UInt8]) throws {
            let composed = try Normalization.nfc(passphrase.rawSpan)
            let bytes = composed.bytes.array
            if bytes == passphrase {
                outcome = vector.expectation.rawValue
                numbers = (vector.text(.field), vector.number(.value), vector.number(.bound))
            } else {
                let reading = try VectorReading(vector, vault: vector.vault, passphrase: bytes)
                (outcome, numbers) = (reading.outcome, reading.numbers)
            }
        }

        func compare(_ error: VaultError) {
            let found: (field: String?, value: UInt64?, bound: UInt64?)
            switch error {
            case .unsupportedVersion(let version): found = (nil, UInt64(version), nil)
            case .unsupportedFeature(let field, let value): found = (field, value, nil)
            case .limitExceeded(let field, let value, let bound): found = (field, value, bound)
            default: found = (nil, nil, nil)
            }
            #expect(found == numbers)
        }
    }

    /// Looks at what a file says without a key, up to step 6 of the reading order.
    private func inspection(of vector: VectorFile) throws {
        let vault = try vector.placed().handle()
        let isBeforeKey: [VectorExpectation] = [
            .notAVault, .unsupportedVersion, .unsupportedFeature, .damaged, .limitExceeded,
        ]
        do throws(VaultError) {
            let found = try vault.inspect()
            #expect(!isBeforeKey.contains(vector.expectation))
            if let check = vector.bytes(.check) { #expect(found.check == check.hex) }
        } catch {
            // A mistyped code is refused before the file is read, so its file may be anything.
            #expect(error.className == vector.expectation.rawValue || vector.expectation == .refused)
        }
    }

    static func compare(_ vault: Vault, with settings: PlainValue) throws {
        guard case .dictionary(let entries) = settings else {
            Issue.record("the settings are no dictionary")
            return
        }
        let names = try vault.names().map { Array($0.utf8) }
        #expect(names == entries.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for (key, value) in entries {
            let name = String(decoding: key, as: UTF8.self)
            guard value.hasDistinctKeys else {
                #expect(throws: VaultError.self) { try vault.value(name, default: StoredValue.boolean(false)) }
                continue
            }
            let found = PlainValue(try vault.value(name, default: .string("nothing")))
            #expect(found == value, "\(name)")
        }
    }
}
