internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("Storage is written for Linux. A port is this folder.")
#endif

/// The system calls of Linux, each made once.
package struct LinuxSystemCalls: SystemCalls {
    /// Makes the calls of this process.
    package init() {}

    package func open(_ path: String, in directory: Int32?, as opening: FileOpening) throws(Errno) -> Int32 {
        let flags =
            switch opening {
            case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY
            case .readingNoLink: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
            case .directory: O_RDONLY | O_DIRECTORY
            case .lockFile: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            case .newFile: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            }
        return try checked(unsafe cs_openat(directory ?? AT_FDCWD, path, flags, 0o600))
    }

    package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        var found = stat()
        try checked(unsafe fstat(descriptor, &found))
        return FileStatus(found)
    }

    package func status(of name: String, in directory: Int32) throws(Errno) -> FileStatus {
        var found = stat()
        try checked(unsafe fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW))
        return FileStatus(found)
    }

    package func linkTarget(of name: String, in directory: Int32) throws(Errno) -> String {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe target.withUnsafeMutableBytes { target in
            guard let start = target.baseAddress else { return 0 }
            return unsafe readlinkat(directory, name, start.assumingMemoryBound(to: CChar.self), target.count)
        }
        try checked(Int32(truncatingIfNeeded: length))
        guard length < target.count else { throw .nameTooLong }
        // A repaired name would be another file's.
        guard let text = String(validating: target[..<length], as: UTF8.self) else { throw .illegalBytes }
        return text
    }

    package func realPath(of path: String) throws(Errno) -> [UInt8] {
        guard let found = unsafe realpath(path, nil) else { throw .last }
        defer { unsafe free(found) }
        return unsafe Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    package func read(
        _ descriptor: Int32, into bytes: inout FileBytes, range: Range<Int>, from offset: Int
    ) throws(Errno) -> Int {
        let count = unsafe bytes.withUnsafeMutableBytes(in: range) { target in
            unsafe pread(descriptor, target.baseAddress, target.count, off_t(offset))
        }
        guard count >= 0 else { throw .last }
        return count
    }

    package func write(_ descriptor: Int32, _ bytes: RawSpan) throws(Errno) -> Int {
        let count = unsafe bytes.withUnsafeBytes { source in
            unsafe Glibc.write(descriptor, source.baseAddress, source.count)
        }
        guard count >= 0 else { throw .last }
        return count
    }

    package func synchronize(_ descriptor: Int32) throws(Errno) { try checked(fsync(descriptor)) }

    package func synchronizeFileSystem(of descriptor: Int32) throws(Errno) { try checked(cs_syncfs(descriptor)) }

    package func synchronizeAll() { sync() }

    package func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Errno) {
        try checked(fchmod(descriptor, permissions))
    }

    package func setPermissions(_ permissions: UInt32, of name: String, in directory: Int32) throws(Errno) {
        try checked(unsafe fchmodat(directory, name, permissions, 0))
    }

    package func setGroup(_ group: UInt32, of descriptor: Int32) throws(Errno) {
        try checked(fchown(descriptor, uid_t.max, group))
    }

    package func rename(_ old: String, to new: String, in directory: Int32) throws(Errno) {
        try checked(unsafe renameat(directory, old, directory, new))
    }

    package func renameToFreeName(_ old: String, to new: String, in directory: Int32) throws(Errno) {
        try checked(unsafe cs_rename_new(directory, old, new))
    }

    package func remove(_ name: String, in directory: Int32) throws(Errno) {
        try checked(unsafe unlinkat(directory, name, 0))
    }

    package func makeDirectory(_ name: String, in directory: Int32) throws(Errno) {
        try checked(unsafe mkdirat(directory, name, 0o700))
    }

    package func names(in directory: Int32, startingWith prefix: String) throws(Errno) -> [String] {
        var search = NameSearch(prefix: Array(prefix.utf8))
        let result = unsafe withUnsafeMutablePointer(to: &search) { search in
            unsafe cs_directory_read(
                directory,
                { name, context in
                    if let name = unsafe name, let context = unsafe context {
                        unsafe context.assumingMemoryBound(to: NameSearch.self).pointee.visit(name)
                    }
                    return 0
                }, search)
        }
        try checked(result)
        return search.found
    }

    package func tryLock(_ descriptor: Int32) throws(Errno) {
        try checked(cs_flock(descriptor, LOCK_EX | LOCK_NB))
    }

    package func unlock(_ descriptor: Int32) throws(Errno) { try checked(cs_flock(descriptor, LOCK_UN)) }

    package func close(_ descriptor: Int32) throws(Errno) { try checked(Glibc.close(descriptor)) }

    package func effectiveUser() -> UInt32 { geteuid() }

    package func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    package func sleep(nanoseconds: UInt64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }

    @discardableResult
    private func checked(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw .last }
        return result
    }
}

/// Collects names while a directory is read. Names are compared as bytes: to Swift, two spellings of é are equal.
private struct NameSearch {
    let prefix: [UInt8]
    var found: [String] = []

    mutating func visit(_ name: UnsafePointer<CChar>) {
        guard let text = unsafe String(validatingCString: name), text.utf8.starts(with: prefix) else { return }
        found.append(text)
    }
}

extension FileStatus {
    fileprivate init(_ found: stat) {
        kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        identity = FileIdentity(
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino), size: Int(found.st_size),
            modified: Self.nanoseconds(found.st_mtim), changed: Self.nanoseconds(found.st_ctim))
        links = UInt64(found.st_nlink)
        owner = found.st_uid
        group = found.st_gid
        permissions = found.st_mode & 0o7777
    }

    // A file system can hold any number of seconds; only equality counts, so a wrapped value does.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
