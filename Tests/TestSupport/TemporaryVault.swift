package import Coffer
package import Foundation
package import VaultFile

/// A vault in a directory of its own, which goes when the process ends, with a derivation that costs nothing.
package final class TemporaryVault: Sendable {
    package static let passphrase = "correct horse battery staple"
    package static var cheap: KeyDerivation { KeyDerivation(passes: 1, memoryKiB: 8_192) }

    package let directory: URL
    /// Beside it, for what is remembered of vaults; it is not made.
    package var stateDirectory: URL { directory.appendingPathExtension("state") }
    package var path: String { directory.appendingPathComponent("test.coffer").path }

    // A test may let go of this object before it is done with the vault.
    private static let root: URL = {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("coffer-\(UUID().uuidString)")
        atexit { try? FileManager.default.removeItem(at: TemporaryVault.root) }
        return root
    }()

    /// Makes the directory, and the vault in it unless told otherwise.
    package init(create: Bool = true) throws {
        directory = Self.root.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if create {
            try Vault(at: .file(path)).create(passphrase: Secret.text(Self.passphrase), derivation: Self.cheap)
        }
    }

    /// A new handle for the vault.
    package func handle() -> Vault { Vault(at: .file(path)) }

    /// A new handle that remembers what it sees, in a state directory of this vault's own.
    package func remembering(
        at path: String? = nil, system: any SystemCalls = LinuxSystemCalls(), state: URL? = nil
    ) -> Vault {
        var surroundings = VaultSurroundings(system: system)
        let state = (state ?? stateDirectory).path
        surroundings.stateDirectory = { state }
        return Vault(at: .file(path ?? self.path), freshness: .remembered, surroundings: surroundings)
    }

    /// What is remembered there.
    package func remembered() -> FreshnessState { FreshnessStore(stateDirectory: stateDirectory.path).read() }

    /// A new handle that is unlocked.
    package func unlocked() throws -> Vault {
        let vault = handle()
        let passphrase = try Secret.text(Self.passphrase)
        try vault.unlock(passphrase)
        return vault
    }

    /// All bytes of the vault's file.
    package func bytes() throws -> [UInt8] {
        try Array(Data(contentsOf: directory.appendingPathComponent("test.coffer")))
    }

    package func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: directory.appendingPathComponent("test.coffer"))
    }

    /// The names of all files in the directory.
    package func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }
}

extension Secret {
    /// A secret of a test, which is none.
    package static func text(_ text: String) throws -> Secret { try Secret(copying: text.utf8) }
}

extension VaultSurroundings {
    /// Surroundings with another amount of memory.
    package static func with(memory: @escaping @Sendable () -> UInt64) -> Self {
        var surroundings = Self()
        surroundings.availableMemory = memory
        return surroundings
    }

    /// Surroundings with another time.
    package static func with(clock: any VaultClock) -> Self {
        var surroundings = Self()
        surroundings.clock = clock
        return surroundings
    }
}
