internal import Glibc
internal import SecureMemory
package import VaultFile

#if !os(Linux)
    #error("FileWatch knows Linux only: add a file for this system to this folder")
#endif

/// Tells of each change of a file by anybody, this process too, for as long as its directory stays where it is.
///
/// The file need not be there. Links to it are followed once. On a network file system only the changes of this machine
/// are seen.
package final class FileWatch: Sendable {
    private struct State {
        var registration: BackgroundLoop.Registration?
        var isAlive = true
    }

    private let name: [UInt8]
    private let onChange: @Sendable () -> Void
    private let state = PlainMutex(State())

    /// How many buffers one call reads at most, so that a busy directory does not hold up the thread.
    private static let buffers = 16

    /// Begins to watch.
    ///
    /// The corresponding C function is `inotify_add_watch`.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - onChange: called on the background thread, once for all changes that came together, and when the watch ends.
    /// - Throws: what the system says: `ENOENT` without the directory, `EMFILE` or `ENOSPC` when the user has too many
    ///   watches.
    package init(path: String, _ onChange: @escaping @Sendable () -> Void) throws(Errno) {
        let (directory, name) = try Self.resolve(path)
        self.name = Array(name.utf8)
        self.onChange = onChange
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw Errno(code: errno) }
        guard unsafe inotify_add_watch(descriptor, directory, DirectoryEvents.mask) >= 0 else {
            let failure = Errno(code: errno)
            close(descriptor)
            throw failure
        }
        try state.withLock { (state) throws(Errno) in
            state.registration = try BackgroundLoop.shared.watch(descriptor, for: Int16(POLLIN)) {
                [weak self] events in self?.notice(descriptor, events)
            }
        }
    }

    /// Whether changes are still told. Once the directory was removed, moved or unmounted, they are not.
    package var isAlive: Bool { state.withLock { $0.isAlive } }

    /// Stops watching. A call that goes on at this moment may still arrive.
    package func cancel() {
        let ended = state.withLock { state in
            state.isAlive = false
            return state.registration.take()
        }
        ended?.cancel()
    }

    private func notice(_ descriptor: Int32, _ polled: Int16) {
        var events = DirectoryEvents()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<Self.buffers {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            events.add(buffer.prefix(count), about: name)
        }
        let isEnd = events.isEnd || KernelNotices.isEnd(polled)
        if isEnd { cancel() }
        if events.hasChange || isEnd { onChange() }
    }

    // MARK: Where the file really is

    private static let maximumLinks = 40

    private static func resolve(_ path: String) throws(Errno) -> (directory: String, name: String) {
        var path = path
        for _ in 0...maximumLinks {
            let (parent, name) = try split(path)
            let directory = try realPath(parent)
            guard let target = try linkTarget("\(directory)/\(name)") else { return (directory, name) }
            path = target.utf8.first == UInt8(ascii: "/") ? target : "\(directory)/\(target)"
        }
        throw Errno(code: ELOOP)
    }

    // As bytes: a combining character after a slash would make one Swift character with it.
    private static func split(_ path: String) throws(Errno) -> (parent: String, name: String) {
        let bytes = path.utf8
        guard !bytes.contains(0) else { throw Errno(code: EINVAL) }
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let name = String(decoding: bytes[start...], as: UTF8.self)
        guard !name.isEmpty, name != ".", name != ".." else { throw Errno(code: EISDIR) }
        return (start == bytes.startIndex ? "." : String(decoding: bytes[..<start], as: UTF8.self), name)
    }

    private static func realPath(_ path: String) throws(Errno) -> String {
        guard let found = unsafe realpath(path, nil) else { throw Errno(code: errno) }
        defer { unsafe free(found) }
        guard let text = unsafe String(validatingCString: found) else { throw Errno(code: EILSEQ) }
        return text
    }

    /// Where a link points, or nil for anything else, also for nothing.
    private static func linkTarget(_ path: String) throws(Errno) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count >= 0 else {
            if errno == EINVAL || errno == ENOENT { return nil }
            throw Errno(code: errno)
        }
        guard let target = String(validating: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) else {
            throw Errno(code: EILSEQ)
        }
        return target
    }
}
