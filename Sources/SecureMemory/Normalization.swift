internal import CUTF8Proc

/// Unicode normalisation of text in guarded memory.
package enum Normalization {
    /// Brings UTF-8 to NFC; bytes that are no UTF-8 come back as they are.
    ///
    /// The corresponding C functions are `utf8proc_decompose` and `utf8proc_reencode`, in memory of ours.
    package static func nfc(_ text: RawSpan) throws(SecureMemoryError) -> GuardedBuffer {
        if isASCII(text) { return try GuardedBuffer(copying: text) }
        // One code point can decompose to 18; every one of them takes 4 bytes here.
        var scratch = try GuardedBuffer(count: text.byteCount * 18 * 4 + 4)
        let options = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
        let length: Int = unsafe scratch.withUnsafeMutableBytes { scratch in
            unsafe text.withUnsafeBytes { text in
                let codePoints = unsafe scratch.baseAddress?.assumingMemoryBound(to: utf8proc_int32_t.self)
                let found = unsafe utf8proc_decompose(
                    text.baseAddress?.assumingMemoryBound(to: utf8proc_uint8_t.self), text.count,
                    codePoints, scratch.count / 4 - 1, options)
                guard found >= 0, found < scratch.count / 4 else { return -1 }
                return unsafe utf8proc_reencode(codePoints, found, options)
            }
        }
        UsedStack.clear()
        guard length >= 0 else { return try GuardedBuffer(copying: text) }
        return try GuardedBuffer(copying: scratch.bytes.extracting(first: length))
    }

    private static func isASCII(_ text: RawSpan) -> Bool {
        for offset in 0..<text.byteCount where text[offset] >= 0x80 { return false }
        return true
    }
}
