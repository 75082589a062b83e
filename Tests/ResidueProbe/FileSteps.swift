internal import Coffer
internal import Glibc
internal import SecureMemory
internal import VaultFile

/// Opens one file below the library, by a passphrase or a recovery code, holds it and lets it go.
enum FileSteps {
    static func run(_ path: String, withCode: Bool) {
        Lines.write("ready")
        do {
            try open(path, withCode: withCode)
            Lines.write("dropped")
        } catch {
            Lines.write("\(error)")
        }
        _ = Lines.read()
    }

    private static func open(_ path: String, withCode: Bool) throws {
        let file = try read(path)
        let header = try VaultHeader(file.bytes)
        let key = try key(header, withCode: withCode)
        // Before any other call can write over what the derivation left on the stack.
        Lines.write("key")
        _ = Lines.read()
        do {
            let sealing = try key.sealingKey(boundTo: file.bytes.extracting(header.boundRange))
            Lines.write("sealing key of \(sealing.count)")
            _ = Lines.read()
        }
        let plaintext = try SealedVault.open(file.bytes, header: header, key: key)
        Lines.write("open \(plaintext.generation)")
        _ = Lines.read()
    }

    private static func key(_ header: VaultHeader, withCode: Bool) throws -> MasterKey {
        let secret = try Secret(readingLineFrom: 0)
        return try secret.withBytes { bytes in
            guard withCode else { return try MasterKey(passphrase: bytes, keyDerivation: header.keyDerivation) }
            let code = try RecoveryCode(bytes)
            let recipient = try Recipient(seed: code.seed.bytes, ownerFingerprint: code.ownerFingerprint)
            return try MasterKey.find(for: recipient, in: header)
        }
    }

    private static func read(_ path: String) throws -> FileBytes {
        var file = try FileBytes(count: 1 << 16)
        let descriptor = unsafe Glibc.fopen(path, "re")
        defer { if let descriptor = unsafe descriptor { unsafe fclose(descriptor) } }
        let count = unsafe file.withUnsafeMutableBytes(in: 0..<file.count) { bytes in
            guard let descriptor = unsafe descriptor, let base = bytes.baseAddress else { return 0 }
            return unsafe fread(base, 1, bytes.count, descriptor)
        }
        var exact = try FileBytes(count: count)
        unsafe exact.withUnsafeMutableBytes(in: 0..<count) { target in
            unsafe file.bytes.extracting(first: count).withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
        return exact
    }
}
