internal import Foundation
internal import Glibc

extension MemoryScan {
    /// Whether the person who runs the tests accepted that some of them cannot look, by
    /// `COFFER_TEST_SKIP_MEMORY_SCAN=1`.
    public static var mayBeSkipped: Bool {
        ProcessInfo.processInfo.environment["COFFER_TEST_SKIP_MEMORY_SCAN"] == "1"
    }

    /// Notes a scan in the file `$COFFER_TEST_SCANS`, for a table of how many there were.
    static func count() {
        guard let path = ProcessInfo.processInfo.environment["COFFER_TEST_SCANS"] else { return }
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        _ = unsafe write(file, "\n", 1)
        close(file)
    }

    /// How to start a program that shuts out the other processes of its user, so that the tests can look in.
    ///
    /// Root may always. Anyone else starts it in a user namespace, whose owner has root's rights over what runs in it.
    public static func visible(_ program: String, _ arguments: [String]) -> (program: String, arguments: [String]) {
        if geteuid() == 0 || mayBeSkipped { return (program, arguments) }
        return ("/usr/bin/unshare", ["--user", "--map-root-user", program] + arguments)
    }

    /// Does what looks into another process. Where that is forbidden it fails, or says aloud that it was skipped.
    ///
    /// - Returns: what `body` returns, or nil when it was skipped.
    public static func looking<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as Forbidden {
            guard mayBeSkipped else { throw error }
            FileHandle.standardError.write(Data("SKIPPED: \(error)\n".utf8))
            return nil
        }
    }
}

extension MemoryScan.Forbidden: CustomStringConvertible {
    /// What to do about it.
    public var description: String {
        "this process may not look into another's memory (errno \(errno)); "
            + "COFFER_TEST_SKIP_MEMORY_SCAN=1 lets the tests skip that"
    }
}
