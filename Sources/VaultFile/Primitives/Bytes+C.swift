internal import SecureMemory

// libsodium wants bytes as a pointer that is never null, not even for none of them.

extension RawSpan {
    /// Lends the bytes to a C function.
    func withCBytes<Result>(_ body: (UnsafePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            if let start = bytes.baseAddress {
                return unsafe body(start.assumingMemoryBound(to: UInt8.self), bytes.count)
            }
            var none: UInt8 = 0
            return unsafe withUnsafePointer(to: &none) { unsafe body($0, 0) }
        }
    }
}

extension GuardedBuffer {
    /// Lends the bytes to a C function that fills them.
    mutating func withCBytes<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress {
                return unsafe body(start.assumingMemoryBound(to: UInt8.self), bytes.count)
            }
            var none: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &none) { unsafe body($0, 0) }
        }
    }

    /// Copies bytes into guarded memory, with the failure of this module.
    init(copyOf bytes: RawSpan) throws(VaultFileError) {
        do throws(SecureMemoryError) { try self.init(copying: bytes) } catch { throw .memory }
    }

    /// Allocates guarded bytes, with the failure of this module.
    init(length: Int) throws(VaultFileError) {
        do throws(SecureMemoryError) { try self.init(count: length) } catch { throw .memory }
    }
}
