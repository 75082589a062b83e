internal import CSodium

/// Random numbers that are no secret: salts, file names, picks.
package enum SecureRandom {
    /// Fills a buffer from the system's generator.
    ///
    /// The corresponding C function is `randombytes_buf`.
    package static func fill(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe randombytes_buf(start, bytes.count) }
        }
    }
}
