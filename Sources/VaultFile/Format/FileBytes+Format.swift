extension FileBytes {
    /// Makes room for a file that is being composed.
    ///
    /// - Throws: `memory` when the system gives none.
    init(length: Int) throws(VaultFileError) {
        do throws(StorageError) { try self.init(count: length) } catch { throw .memory }
    }

    /// Copies bytes to an offset; what does not fit traps.
    mutating func copy(from source: RawSpan, at offset: Int) {
        unsafe withUnsafeMutableBytes(in: offset..<offset + source.byteCount) { target in
            unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }
}
