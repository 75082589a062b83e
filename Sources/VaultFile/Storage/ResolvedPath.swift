/// Where a vault really lies: an open directory and a name in it that is no symbolic link.
///
/// Links are followed once, each relative to the directory that it stands in, so that a later change of a link cannot
/// send one half of a save somewhere else.
struct ResolvedPath: ~Copyable, Sendable {
    let directory: Descriptor
    let name: String

    /// As many links as Linux itself follows.
    private static let maximumLinks = 40

    /// Follows the links of a path's last name. There need not be a file at the end.
    init(_ system: any SystemCalls, _ path: String) throws(StorageError) {
        var (parent, name) = try Self.split(path)
        var directory = try Descriptor(system, parent, as: .directory, .openDirectory)
        for _ in 0...Self.maximumLinks {
            guard let target = try Self.target(of: name, in: directory) else {
                self.directory = directory
                self.name = name
                return
            }
            (parent, name) = try Self.split(target)
            // Opened before the assignment closes the old one.
            directory = try Descriptor(system, parent, in: directory.number, as: .directory, .openDirectory)
        }
        throw StorageError(.followLink, .linkLoop)
    }

    private static func target(of name: String, in directory: borrowing Descriptor) throws(StorageError) -> String? {
        let (system, number) = (directory.system, directory.number)
        do throws(StorageError) {
            return try system.uninterrupted(.followLink) { () throws(Errno) in
                try system.linkTarget(of: name, in: number)
            }
        } catch {
            switch Errno(code: error.errno) {
            case .invalidArgument, .noEntry: return nil
            // Said better where the names of a save are made.
            case .nameTooLong: return nil
            default: throw error
            }
        }
    }

    /// Parts a path into the directory and the last name.
    ///
    /// - Throws: `notARegularFile` for a path that can only name a directory.
    static func split(_ path: String) throws(StorageError) -> (directory: String, name: String) {
        // As bytes: a combining character after a slash would make one Swift character with it.
        let bytes = path.utf8
        guard !bytes.isEmpty, !bytes.contains(0) else { throw StorageError(.openVault, .invalidArgument) }
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let name = String(decoding: bytes[start...], as: UTF8.self)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StorageError(.openVault, .isDirectory, .notARegularFile)
        }
        let parent = String(decoding: bytes[..<start], as: UTF8.self)
        return (parent.isEmpty ? "." : parent, name)
    }
}
