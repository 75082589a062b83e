internal import Glibc
public import SecureMemory

extension Secret {
    /// Copies bytes into guarded memory; what they were copied from is not wiped.
    ///
    /// - Parameter bytes: the bytes of the secret.
    /// - Throws: `notEnoughMemory`.
    public init(copying bytes: RawSpan) throws(VaultError) {
        self.init(try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) })
    }

    /// Copies bytes into guarded memory; what they were copied from is not wiped.
    ///
    /// - Parameter bytes: the bytes of the secret, such as `text.utf8` where a framework leaves only a `String`.
    /// - Throws: `notEnoughMemory`.
    public init(copying bytes: some Collection<UInt8>) throws(VaultError) {
        var buffer = try translating { () throws(SecureMemoryError) in try GuardedBuffer(count: bytes.count) }
        for (offset, byte) in bytes.enumerated() where offset < buffer.count { buffer.store(byte, at: offset) }
        self.init(buffer)
    }

    /// Draws a secret from the system's generator.
    ///
    /// The corresponding C function is `randombytes_buf`.
    ///
    /// - Parameter count: the number of bytes, 0 to 64 MiB.
    /// - Returns: the secret.
    /// - Throws: `notEnoughMemory`.
    public static func random(count: Int) throws(VaultError) -> Secret {
        Secret(try translating { () throws(SecureMemoryError) in try GuardedBuffer(randomCount: count) })
    }

    /// Reads a secret from a descriptor straight into guarded memory, up to the first line feed or the end.
    ///
    /// Bytes are read one at a time, so what stands after the line is left for others. One carriage return before the
    /// line feed is dropped. The corresponding C function is `read`.
    ///
    /// - Parameters:
    ///   - descriptor: an open descriptor, which stays open.
    ///   - limit: the most bytes of the line, up to 64 MiB.
    /// - Throws: `limitExceeded` for a longer line, `ioError`, `notEnoughMemory`.
    public init(readingLineFrom descriptor: Int32, limit: Int = 4_096) throws(VaultError) {
        let line = try translating { () throws(SecureMemoryError) in try GuardedArena(capacity: 256) }
        self.init(try Self.readLine(from: descriptor, limit: limit, into: line))
    }

    private static func readLine(
        from descriptor: Int32, limit: Int, into line: consuming GuardedArena
    ) throws(VaultError) -> GuardedBuffer {
        var byte = try translating { () throws(SecureMemoryError) in try GuardedBuffer(count: 1) }
        while true {
            let count = unsafe byte.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, 1) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw .ioError(step: "read the secret", errno: errno, path: "descriptor \(descriptor)")
            }
            if count == 0 || byte.bytes[0] == UInt8(ascii: "\n") { break }
            guard line.count < limit else {
                throw .limitExceeded(field: "line", value: UInt64(line.count) + 1, bound: UInt64(limit))
            }
            let last = byte.bytes
            try translating { () throws(SecureMemoryError) in _ = try line.append(last) }
        }
        var length = line.count
        if length > 0, line.bytes[length - 1] == UInt8(ascii: "\r") { length -= 1 }
        let bytes = line.bytes.extracting(first: length)
        return try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) }
    }
}
