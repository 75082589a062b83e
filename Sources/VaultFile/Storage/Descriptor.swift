/// Owns an open file and closes it at the end of its life.
struct Descriptor: ~Copyable, Sendable {
    /// The number that the system knows it by.
    let number: Int32
    /// Who opened it and closes it.
    let system: any SystemCalls

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - system: makes the calls.
    ///   - path: the path, relative to `directory`.
    ///   - directory: the number of an open directory, or nil for the working directory.
    ///   - opening: what the file is opened for.
    ///   - step: what this is part of.
    init(
        _ system: any SystemCalls, _ path: String, in directory: Int32? = nil, as opening: FileOpening,
        _ step: StorageError.Step
    ) throws(StorageError) {
        number = try system.uninterrupted(step) { () throws(Errno) in
            try system.open(path, in: directory, as: opening)
        }
        self.system = system
    }

    // What was written here has been brought to the disk before, or has been given up: the answer changes nothing.
    deinit { try? system.close(number) }

    /// Tells the status of the file.
    func status(_ step: StorageError.Step) throws(StorageError) -> FileStatus {
        try system.uninterrupted(step) { () throws(Errno) in try system.status(of: number) }
    }

    /// Reads until a range is full or the file ends.
    ///
    /// - Returns: the number of bytes that were there.
    func read(
        into bytes: inout FileBytes, range: Range<Int>, from offset: Int, _ step: StorageError.Step
    ) throws(StorageError) -> Int {
        var done = 0
        while done < range.count {
            let rest = range.lowerBound + done..<range.upperBound
            let count = try system.uninterrupted(step) { () throws(Errno) in
                try system.read(number, into: &bytes, range: rest, from: offset + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all bytes, however little the system takes at a time.
    func write(_ bytes: RawSpan, _ step: StorageError.Step) throws(StorageError) {
        var done = 0
        while done < bytes.byteCount {
            let rest = bytes.extracting(done..<bytes.byteCount)
            let count = try system.uninterrupted(step) { () throws(Errno) in try system.write(number, rest) }
            // A regular file never takes nothing. If one did, we would try for ever.
            if count == 0 { throw StorageError(step, .inputOutput) }
            done += count
        }
    }
}
