package import VaultFile

/// Where the file of a vault is, whatever path leads there.
package enum VaultPlace {
    /// The place of a vault's file without links and dots, so that all spellings of its path are one.
    ///
    /// Where there is no file, it is the place where it would be; where there is no directory, the path as it is spelled.
    /// The corresponding C function is `realpath`, which may wait for a slow drive.
    package static func resolved(_ path: String, system: any SystemCalls = LinuxSystemCalls()) -> [UInt8] {
        if let place = try? system.realPath(of: path) { return place }
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
        let directory = slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
        guard let place = try? system.realPath(of: directory) else { return bytes }
        return (place.last == UInt8(ascii: "/") ? place.dropLast() : place) + bytes[slash...]
    }
}
