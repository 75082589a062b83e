/// Every system call that storage makes: the one place where tests put faults in.
///
/// Each call is made once and gives a value or the system's error number. Whether a call is made again after `EINTR`
/// is decided above, in `uninterrupted(_:_:)`.
package protocol SystemCalls: Sendable {
    /// Opens a file, close-on-exec. The corresponding C function is `openat`.
    ///
    /// - Parameters:
    ///   - path: the path, relative to `directory`.
    ///   - directory: an open directory, or nil for the working directory.
    ///   - opening: what the file is opened for.
    /// - Returns: a descriptor, owned by the caller.
    func open(_ path: String, in directory: Int32?, as opening: FileOpening) throws(Errno) -> Int32

    /// Tells the status of an open file. The corresponding C function is `fstat`.
    func status(of descriptor: Int32) throws(Errno) -> FileStatus

    /// Tells the status at a name, of the link itself if it is one. The corresponding C function is `fstatat`.
    func status(of name: String, in directory: Int32) throws(Errno) -> FileStatus

    /// Reads where a symbolic link points; `EINVAL` if it is none. The corresponding C function is `readlinkat`.
    func linkTarget(of name: String, in directory: Int32) throws(Errno) -> String

    /// Tells the path of a file without links and dots, as bytes. The corresponding C function is `realpath`.
    func realPath(of path: String) throws(Errno) -> [UInt8]

    /// Reads at an offset, possibly less than asked; 0 at the end. The corresponding C function is `pread`.
    func read(
        _ descriptor: Int32, into bytes: inout FileBytes, range: Range<Int>, from offset: Int
    ) throws(Errno) -> Int

    /// Writes at the end of what was written, possibly less than asked. The corresponding C function is `write`.
    func write(_ descriptor: Int32, _ bytes: RawSpan) throws(Errno) -> Int

    /// Brings a file or directory to the disk. The corresponding C function is `fsync`.
    func synchronize(_ descriptor: Int32) throws(Errno)

    /// Brings the whole file system of an open file to the disk. The corresponding C function is `syncfs`.
    func synchronizeFileSystem(of descriptor: Int32) throws(Errno)

    /// Brings everything to the disk. The corresponding C function is `sync`, which reports nothing.
    func synchronizeAll()

    /// Sets the permissions of an open file. The corresponding C function is `fchmod`.
    func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Errno)

    /// Sets the permissions of what stands at a name. The corresponding C function is `fchmodat`.
    func setPermissions(_ permissions: UInt32, of name: String, in directory: Int32) throws(Errno)

    /// Sets the group of an open file. The corresponding C function is `fchown`.
    func setGroup(_ group: UInt32, of descriptor: Int32) throws(Errno)

    /// Renames within a directory, over what is there. The corresponding C function is `renameat`.
    func rename(_ old: String, to new: String, in directory: Int32) throws(Errno)

    /// Renames within a directory, to a free name only: `EEXIST` if taken. The corresponding C function is `renameat2`.
    func renameToFreeName(_ old: String, to new: String, in directory: Int32) throws(Errno)

    /// Removes a name. The corresponding C function is `unlinkat`.
    func remove(_ name: String, in directory: Int32) throws(Errno)

    /// Makes a directory with mode 0700 less the umask. The corresponding C function is `mkdirat`.
    func makeDirectory(_ name: String, in directory: Int32) throws(Errno)

    /// Lists the names that start with the same bytes. The corresponding C function is `readdir`.
    func names(in directory: Int32, startingWith prefix: String) throws(Errno) -> [String]

    /// Takes the exclusive lock of an open file, or fails with `EWOULDBLOCK`. The corresponding C function is `flock`.
    func tryLock(_ descriptor: Int32) throws(Errno)

    /// Gives the lock of an open file back, for all who share it. The corresponding C function is `flock`.
    func unlock(_ descriptor: Int32) throws(Errno)

    /// Closes a descriptor, which is gone whatever the answer. The corresponding C function is `close`.
    func close(_ descriptor: Int32) throws(Errno)

    /// The user as whom files are made. The corresponding C function is `geteuid`.
    func effectiveUser() -> UInt32

    /// Tells a time that only goes forward, in nanoseconds. The corresponding C function is `clock_gettime`.
    func monotonicNanoseconds() -> UInt64

    /// Waits, or returns early at a signal. The corresponding C function is `nanosleep`.
    func sleep(nanoseconds: UInt64)
}

/// What a file is opened for, which decides the flags of `openat`.
package enum FileOpening: Sendable {
    /// An existing file to read, through symbolic links. Never blocks on a pipe, never becomes the terminal.
    case reading
    /// As `reading`, but a symbolic link at the last name is refused with `ELOOP`.
    case readingNoLink
    /// A directory, to work in and to bring to the disk.
    case directory
    /// The lock file: made if absent, mode 0600 less the umask, no link followed.
    case lockFile
    /// A new file to write and read back, mode 0600 less the umask; a taken name is refused with `EEXIST`.
    case newFile
}

extension SystemCalls {
    /// Makes a call again for as long as a signal interrupts it, and says which step failed otherwise.
    ///
    /// Not for `fsync` and `close`: after a failed `fsync` the system forgets what it could not write, so that a
    /// second one reports success over lost bytes; after a failed `close` the number may belong to another file.
    ///
    /// - Parameters:
    ///   - step: what the call is part of.
    ///   - call: makes one system call.
    /// - Returns: what `call` returns.
    /// - Throws: a system failure of `step`.
    func uninterrupted<Value: ~Copyable>(
        _ step: StorageError.Step, _ call: () throws(Errno) -> Value
    ) throws(StorageError) -> Value {
        while true {
            do throws(Errno) {
                return try call()
            } catch {
                if error != .interrupted { throw StorageError(step, error) }
            }
        }
    }

    /// Brings a file or directory to the disk, once; where that is not supported, everything there is.
    ///
    /// - Parameters:
    ///   - descriptor: an open file or directory.
    ///   - step: what this is part of.
    /// - Returns: whether the file system did it for this file alone, as it should.
    /// - Throws: a system failure of `step`. It is final: trying again would report success over lost bytes.
    func synchronizeOnce(_ descriptor: Int32, _ step: StorageError.Step) throws(StorageError) -> Bool {
        do throws(Errno) {
            try synchronize(descriptor)
            return true
        } catch {
            guard error.meansUnsupported else { throw StorageError(step, error) }
        }
        do throws(Errno) {
            try synchronizeFileSystem(of: descriptor)
        } catch {
            guard error.meansUnsupported else { throw StorageError(step, error) }
            synchronizeAll()
        }
        return false
    }
}
