public import Foundation
internal import Glibc

/// A child process to look into: started with pipes, answers in lines, ends when it is let go.
public final class MemoryScanChild {
    /// The child said nothing in time, or ended.
    public struct Silent: Error {
        /// What happened.
        public let message: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private var pending: [UInt8] = []

    /// The number of the process.
    public var identifier: Int32 { process.processIdentifier }

    /// Starts a program that stands beside the tests, or at an absolute path.
    ///
    /// - Parameters:
    ///   - program: the name of the product, or a path.
    ///   - arguments: what follows the name; never a secret.
    ///   - environment: added to a small one of our own.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        process.executableURL = program.hasPrefix("/") ? URL(fileURLWithPath: program) : Self.product(program)
        process.arguments = arguments
        // Lazy binding would spill vector registers to the stack in a debug build, which is not linked with -z now.
        let own = ["LD_BIND_NOW": "1", "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        process.environment = own.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    deinit { end() }

    /// Where the tests find a product.
    public static func product(_ name: String) -> URL { BuiltProgram.directory.appendingPathComponent(name) }

    /// Writes bytes to the child's input.
    public func send(_ bytes: [UInt8]) throws { try input.fileHandleForWriting.write(contentsOf: Data(bytes)) }

    /// Ends the child's input.
    public func closeInput() { try? input.fileHandleForWriting.close() }

    /// Waits for a line of the child.
    public func line(within seconds: Int = 60) throws -> String {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = pending.firstIndex(of: 10) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                return line
            }
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&ready, 1, Int32(seconds * 1000)) > 0 else { throw Silent(message: "no line in time") }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { throw Silent(message: "the child ended: \(standardError())") }
            pending += bytes[..<count]
        }
    }

    /// Waits until the child sleeps in `read` or `write` on a descriptor.
    ///
    /// - Throws: `MemoryScan.Forbidden` when this process may not see that; `Silent` when it does not happen.
    public func waitUntilBlocked(in call: Call, on descriptor: Int32, within seconds: Int = 60) throws {
        let wanted = ["\(call.rawValue)", "0x" + String(descriptor, radix: 16)]
        for _ in 0..<seconds * 100 {
            guard process.isRunning else { throw Silent(message: "the child ended: \(standardError())") }
            // A process without dump permission shows this to root alone.
            guard let text = try? String(contentsOfFile: "/proc/\(identifier)/syscall", encoding: .utf8) else {
                throw MemoryScan.Forbidden(errno: errno)
            }
            if text.split(separator: " ").prefix(2).map(String.init) == wanted { return }
            usleep(10_000)
        }
        throw Silent(message: "the child never blocked")
    }

    /// A system call to wait for.
    public enum Call: Int, Sendable {
        #if arch(x86_64)
            case read = 0
            case write = 1
        #else
            case read = 63
            case write = 64
        #endif
    }

    /// What the child wrote to its standard error; waits for its end.
    public func standardError() -> String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Waits for the child's end.
    public func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends the child if it still runs.
    public func end() {
        closeInput()
        guard process.isRunning else { return }
        kill(identifier, SIGKILL)
        process.waitUntilExit()
    }
}
