import Glibc
import Synchronization
package import VaultFile

/// The calls of the system, with one fault at a chosen one of them.
///
/// A crash stops everything: that call and all later ones fail and do nothing, as if the process had been killed. What
/// the kernel does for a killed process, closing its files, is `reap()`.
package final class FaultingSystemCalls: SystemCalls {
    package enum Call: Hashable {
        case open, status, statusAt, linkTarget, realPath, read, write, synchronize, synchronizeFileSystem,
            synchronizeAll
        case setPermissions, setPermissionsAt, setGroup, rename, renameToFreeName, remove, makeDirectory, names,
            tryLock, close
    }

    package enum Fault {
        /// The call fails and does nothing.
        case fails(Int32)
        /// The call does its work and then says that it failed.
        case failsAfterwards(Int32)
        /// A read or write does half of what was asked; other calls are left alone.
        case short
        /// A read gives one wrong bit; other calls are left alone.
        case flips
        /// A status at a name says that the file has no name any more; other calls are left alone.
        case unlinked
        /// The process is killed, in the middle of a write if it is one.
        case crash
    }

    private struct State {
        var log: [Call] = []
        var matches = 0
        var fired = false
        var crashed = false
        var descriptors: Set<Int32> = []
    }

    private let real = LinuxSystemCalls()
    private let fault: Fault?
    private let kinds: Set<Call>?
    private let index: Int?
    private let before: @Sendable (Call) -> Void
    private let user: UInt32?
    private let foreign: Set<String>
    private let state = Mutex(State())

    /// Puts a fault at the call with an index, from 1, among those of a kind; without an index, at all of them.
    ///
    /// Files of `foreign` names belong to another user.
    package init(
        _ fault: Fault? = nil, at index: Int? = nil, of kinds: Set<Call>? = nil, user: UInt32? = nil,
        foreign: Set<String> = [],
        before: @escaping @Sendable (Call) -> Void = { _ in }
    ) {
        self.fault = fault
        self.index = index
        self.kinds = kinds
        self.before = before
        self.user = user
        self.foreign = foreign
    }

    package var log: [Call] { state.withLock { $0.log } }
    package var fired: Bool { state.withLock { $0.fired } }

    package func reap() {
        let left = state.withLock { state in
            defer { state.descriptors = [] }
            return state.descriptors
        }
        for descriptor in left { try? real.close(descriptor) }
    }

    deinit { reap() }

    private func next(_ call: Call) throws(Errno) -> Fault? {
        before(call)
        let (crashed, hit) = state.withLock { state in
            state.log.append(call)
            if state.crashed { return (true, false) }
            guard kinds?.contains(call) ?? true, fault != nil else { return (false, false) }
            state.matches += 1
            let hit = index == nil || state.matches == index
            if hit { state.fired = true }
            return (false, hit)
        }
        if crashed { throw Errno(code: EIO) }
        guard hit else { return nil }
        switch fault {
        case .fails(let code): throw Errno(code: code)
        case .crash where call != .write:
            state.withLock { $0.crashed = true }
            throw Errno(code: EIO)
        default: return fault
        }
    }

    private func perform<Value>(_ call: Call, _ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        let fault = try next(call)
        let value = try body()
        if case .failsAfterwards(let code) = fault { throw Errno(code: code) }
        return value
    }

    package func open(_ path: String, in directory: Int32?, as opening: FileOpening) throws(Errno) -> Int32 {
        try perform(.open) { () throws(Errno) in
            let descriptor = try real.open(path, in: directory, as: opening)
            _ = state.withLock { $0.descriptors.insert(descriptor) }
            return descriptor
        }
    }

    package func close(_ descriptor: Int32) throws(Errno) {
        try perform(.close) { () throws(Errno) in
            _ = state.withLock { $0.descriptors.remove(descriptor) }
            try real.close(descriptor)
        }
    }

    package func read(
        _ descriptor: Int32, into bytes: inout FileBytes, range: Range<Int>, from offset: Int
    ) throws(Errno) -> Int {
        let fault = try next(.read)
        var range = range
        if case .short = fault { range = range.lowerBound..<range.lowerBound + (range.count + 1) / 2 }
        let count = try real.read(descriptor, into: &bytes, range: range, from: offset)
        if case .flips = fault, count > 0 {
            unsafe bytes.withUnsafeMutableBytes(in: range) { unsafe $0[count - 1] ^= 1 }
        }
        return count
    }

    package func write(_ descriptor: Int32, _ bytes: RawSpan) throws(Errno) -> Int {
        let fault = try next(.write)
        switch fault {
        case .short: return try real.write(descriptor, bytes.extracting(first: (bytes.byteCount + 1) / 2))
        case .crash:
            _ = try real.write(descriptor, bytes.extracting(first: bytes.byteCount / 2))
            state.withLock { $0.crashed = true }
            throw Errno(code: EIO)
        default: return try real.write(descriptor, bytes)
        }
    }

    package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        try perform(.status) { () throws(Errno) in try real.status(of: descriptor) }
    }

    package func status(of name: String, in directory: Int32) throws(Errno) -> FileStatus {
        let fault = try next(.statusAt)
        var status = try real.status(of: name, in: directory)
        if case .failsAfterwards(let code) = fault { throw Errno(code: code) }
        if case .unlinked = fault { status.links = 0 }
        if foreign.contains(name) { status.owner &+= 1 }
        return status
    }

    package func linkTarget(of name: String, in directory: Int32) throws(Errno) -> String {
        try perform(.linkTarget) { () throws(Errno) in try real.linkTarget(of: name, in: directory) }
    }

    package func realPath(of path: String) throws(Errno) -> [UInt8] {
        try perform(.realPath) { () throws(Errno) in try real.realPath(of: path) }
    }

    package func synchronize(_ descriptor: Int32) throws(Errno) {
        try perform(.synchronize) { () throws(Errno) in try real.synchronize(descriptor) }
    }

    package func synchronizeFileSystem(of descriptor: Int32) throws(Errno) {
        try perform(.synchronizeFileSystem) { () throws(Errno) in try real.synchronizeFileSystem(of: descriptor) }
    }

    // The real call would wait for the disks of the whole machine.
    package func synchronizeAll() { _ = try? next(.synchronizeAll) }

    package func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Errno) {
        try perform(.setPermissions) { () throws(Errno) in try real.setPermissions(permissions, of: descriptor) }
    }

    package func setPermissions(_ permissions: UInt32, of name: String, in directory: Int32) throws(Errno) {
        try perform(.setPermissionsAt) { () throws(Errno) in
            try real.setPermissions(permissions, of: name, in: directory)
        }
    }

    package func setGroup(_ group: UInt32, of descriptor: Int32) throws(Errno) {
        try perform(.setGroup) { () throws(Errno) in try real.setGroup(group, of: descriptor) }
    }

    package func rename(_ old: String, to new: String, in directory: Int32) throws(Errno) {
        try perform(.rename) { () throws(Errno) in try real.rename(old, to: new, in: directory) }
    }

    package func renameToFreeName(_ old: String, to new: String, in directory: Int32) throws(Errno) {
        try perform(.renameToFreeName) { () throws(Errno) in
            try real.renameToFreeName(old, to: new, in: directory)
        }
    }

    package func remove(_ name: String, in directory: Int32) throws(Errno) {
        try perform(.remove) { () throws(Errno) in try real.remove(name, in: directory) }
    }

    package func makeDirectory(_ name: String, in directory: Int32) throws(Errno) {
        try perform(.makeDirectory) { () throws(Errno) in try real.makeDirectory(name, in: directory) }
    }

    package func names(in directory: Int32, startingWith prefix: String) throws(Errno) -> [String] {
        try perform(.names) { () throws(Errno) in try real.names(in: directory, startingWith: prefix) }
    }

    package func tryLock(_ descriptor: Int32) throws(Errno) {
        try perform(.tryLock) { () throws(Errno) in try real.tryLock(descriptor) }
    }

    // What fails here changes nothing: the file is closed next.
    package func unlock(_ descriptor: Int32) throws(Errno) { try real.unlock(descriptor) }

    package func effectiveUser() -> UInt32 { user ?? real.effectiveUser() }

    package func monotonicNanoseconds() -> UInt64 { real.monotonicNanoseconds() }

    package func sleep(nanoseconds: UInt64) { real.sleep(nanoseconds: nanoseconds) }
}
