/// A vault's file, open for reading. Size and first bytes can be looked at before anything is allocated for the rest.
package struct VaultReader: ~Copyable, Sendable {
    private let descriptor: Descriptor
    /// The status when it was opened.
    package let status: FileStatus

    /// The number of bytes when it was opened.
    package var size: Int { status.size }
    /// Which file it is, with which content.
    package var identity: FileIdentity { status.identity }

    /// How often a file that changes under our eyes is read again.
    static let attempts = 4
    /// How many first bytes a caller is shown to judge by.
    package static let prefixCount = 64

    init(
        _ system: any SystemCalls, _ path: String, in directory: Int32? = nil, as opening: FileOpening
    ) throws(StorageError) {
        let descriptor = try Self.openDescriptor(system, path, in: directory, as: opening)
        let status = try descriptor.status(.openVault)
        try status.requireRegularFile(.openVault)
        self.descriptor = descriptor
        self.status = status
    }

    private static func openDescriptor(
        _ system: any SystemCalls, _ path: String, in directory: Int32?, as opening: FileOpening
    ) throws(StorageError) -> Descriptor {
        do throws(StorageError) {
            return try Descriptor(system, path, in: directory, as: opening, .openVault)
        } catch {
            switch Errno(code: error.errno) {
            case .noEntry: throw StorageError(.openVault, .noEntry, .noVault)
            // A socket cannot be opened, nor a device without a driver.
            case .notADevice: throw StorageError(.openVault, .notADevice, .notARegularFile)
            default: throw error
            }
        }
    }

    /// Reads the first bytes.
    ///
    /// - Parameter count: how many at most; a shorter file gives what it has.
    /// - Returns: the bytes.
    /// - Throws: a system failure.
    package borrowing func readPrefix(_ count: Int = prefixCount) throws(StorageError) -> FileBytes {
        try read(0..<min(max(count, 0), size))
    }

    /// Reads the last bytes.
    ///
    /// - Parameter count: how many at most; a shorter file gives what it has.
    /// - Returns: the bytes.
    /// - Throws: a system failure.
    package borrowing func readSuffix(_ count: Int) throws(StorageError) -> FileBytes {
        try read(size - min(max(count, 0), size)..<size)
    }

    /// Reads the whole file, exactly as many bytes as `size` says.
    ///
    /// - Returns: the bytes and the identity that goes with them.
    /// - Throws: `changedWhileReading` if another program writes into it, or a system failure.
    package borrowing func readAll() throws(StorageError) -> StoredFile {
        var before = identity
        for _ in 0..<Self.attempts {
            let bytes = try read(0..<size)
            let after = try descriptor.status(.readVault).identity
            // The caller has allowed this size, no other. (A save by rename also shows, in `changed` alone: the bytes
            // are whole.)
            guard after.size == size else { break }
            if bytes.count == size && after.modified == before.modified {
                return StoredFile(bytes: bytes, identity: after)
            }
            before = after
        }
        throw StorageError(.readVault, .stale, .changedWhileReading)
    }

    /// Reads the first and the last bytes, of one moment.
    ///
    /// - Parameters:
    ///   - prefixCount: how many of the first at most; a shorter file gives what it has.
    ///   - suffixCount: how many of the last at most.
    /// - Returns: the bytes, and the size that goes with them.
    /// - Throws: `changedWhileReading` if another program writes into it, or a system failure.
    package borrowing func readEnds(prefix prefixCount: Int, suffix suffixCount: Int) throws(StorageError) -> FileEnds {
        let ends = FileEnds(
            prefix: try readPrefix(prefixCount), suffix: try readSuffix(suffixCount), size: size)
        let after = try descriptor.status(.readVault).identity
        guard after.size == size, after.modified == identity.modified,
            ends.prefix.count == min(prefixCount, size), ends.suffix.count == min(suffixCount, size)
        else { throw StorageError(.readVault, .stale, .changedWhileReading) }
        return ends
    }

    private borrowing func read(_ range: Range<Int>) throws(StorageError) -> FileBytes {
        var bytes = try FileBytes(count: range.count)
        let count = try descriptor.read(into: &bytes, range: 0..<range.count, from: range.lowerBound, .readVault)
        bytes.truncate(to: count)
        return bytes
    }
}

/// The bytes of a vault's file and which file they were.
package struct StoredFile: ~Copyable, Sendable {
    /// The bytes, as they stand on the disk.
    package let bytes: FileBytes
    /// The file that they were read from.
    package let identity: FileIdentity
}

/// The first and the last bytes of a file that is not read as a whole.
package struct FileEnds: ~Copyable, Sendable {
    /// The first bytes.
    package let prefix: FileBytes
    /// The last bytes.
    package let suffix: FileBytes
    /// The number of bytes of the file.
    package let size: Int
}

extension FileStatus {
    /// Refuses what is no regular file.
    func requireRegularFile(_ step: StorageError.Step) throws(StorageError) {
        switch kind {
        case .regular: return
        case .directory: throw StorageError(step, .isDirectory, .notARegularFile)
        case .symbolicLink: throw StorageError(step, .linkLoop, .notARegularFile)
        case .other: throw StorageError(step, .invalidArgument, .notARegularFile)
        }
    }
}

/// Opens a file and reads in it; one that changes meanwhile is opened and read again, a few times.
///
/// - Parameters:
///   - open: opens the file.
///   - body: reads in it.
/// - Returns: what `body` returns.
/// - Throws: what `open` or `body` throws; `changedWhileReading` of the last time.
func readingUnchanged<Result: ~Copyable>(
    _ open: () throws(StorageError) -> VaultReader,
    _ body: (borrowing VaultReader) throws(StorageError) -> Result
) throws(StorageError) -> Result {
    for _ in 1..<VaultReader.attempts {
        do throws(StorageError) {
            return try body(try open())
        } catch {
            guard error.kind == .changedWhileReading else { throw error }
        }
    }
    return try body(try open())
}

/// Reads a whole vault once its size and first bytes are found good.
///
/// A file whose size changes meanwhile is opened and judged again, a few times.
///
/// - Parameters:
///   - open: opens the file.
///   - admit: looks at the first bytes and the size, before anything is allocated for the rest; throws to refuse.
/// - Returns: the bytes and the identity that goes with them.
/// - Throws: what `open` or `admit` throws, or a failure to read.
func readAdmitted<Refusal: Error>(
    _ open: () throws(StorageError) -> VaultReader, _ admit: (_ prefix: RawSpan, _ size: Int) throws(Refusal) -> Void
) throws(ReadError<Refusal>) -> StoredFile {
    let found: Admission<Refusal>
    do throws(StorageError) {
        found = try readingUnchanged(open) { (reader) throws(StorageError) in
            let prefix = try reader.readPrefix()
            do throws(Refusal) { try admit(prefix.bytes, reader.size) } catch { return .refused(error) }
            return .admitted(try reader.readAll())
        }
    } catch {
        throw .storage(error)
    }
    switch consume found {
    case .admitted(let file): return file
    case .refused(let refusal): throw .refused(refusal)
    }
}

private enum Admission<Refusal: Error>: ~Copyable {
    case admitted(StoredFile)
    case refused(Refusal)
}
