import Foundation
import Glibc
import TestSupport

/// A program whose standard input is a full pipe: that there is room in it again shows that the program has begun to
/// read what stands there, and needs no right to look into it.
struct FedChild {
    struct Silent: Error {}

    /// How much a pipe takes.
    private static let capacity = 65536

    let child: ChildProcess
    private let feed: Int32

    /// - Parameters:
    ///   - start: what the input begins with, less than a page; then come bytes `v` until the pipe is full.
    init(_ program: String, _ arguments: [String], environment: [String: String], start: [UInt8]) throws {
        let (read, write) = try ChildProcess.pipe()
        feed = write
        let bytes = start + [UInt8](repeating: 0x76, count: Self.capacity - start.count)
        guard fcntl(write, F_SETFL, O_NONBLOCK) == 0,
            unsafe Glibc.write(write, bytes, bytes.count) == bytes.count
        else { throw Silent() }
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        child = try ChildProcess(
            program, arguments, environment: environment, descriptors: [0: read, 1: null, 2: null])
        close(read)
        close(null)
    }

    /// Waits until a page of the input has been read; it has not ended then.
    func waitUntilRead(within seconds: Int32 = 60) throws {
        var entry = pollfd(fd: feed, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&entry, 1, seconds * 1000) == 1, entry.revents == Int16(POLLOUT) else {
            _ = try? end()
            throw Silent()
        }
    }

    /// Ends the input and waits for the end of the program.
    func end() throws -> ChildProcess.Status {
        close(feed)
        return try child.wait()
    }
}
