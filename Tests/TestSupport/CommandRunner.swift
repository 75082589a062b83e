import Foundation
import Glibc

/// Runs a built program without a terminal and gathers what it says.
package struct CommandRunner: Sendable {
    /// What a run gave.
    package struct Outcome: Sendable {
        package let status: ChildProcess.Status
        package let bytes: [UInt8]
        package let messages: String

        /// Standard output as text.
        package var output: String { String(decoding: bytes, as: UTF8.self) }
        /// The exit code, or minus the signal.
        package var code: Int32 {
            switch status {
            case .exited(let code): code
            case .killed(let signal): -signal
            }
        }
    }

    /// Where standard output goes.
    package enum Output: Sendable { case gathered, file(String), closed, brokenPipe }

    package let program: String
    package var environment: [String: String]

    /// - Parameters:
    ///   - program: the name of a product, which stands beside the tests, or a path.
    ///   - environment: all of its environment, but for what the runtime needs.
    package init(_ program: String, environment: [String: String] = [:]) {
        self.program = program.hasPrefix("/") ? program : MemoryScanChild.product(program).path
        let own = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin"]
        self.environment = own.merging(environment) { $1 }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: what follows the name.
    ///   - input: what comes through standard input, a pipe; nil leaves it closed.
    ///   - descriptors: what comes through further pipes.
    ///   - output: where standard output goes.
    ///   - running: called while it runs, before its input.
    package func run(
        _ arguments: [String], input: [UInt8]? = [], descriptors: [Int32: [UInt8]] = [:], output: Output = .gathered,
        running: (Int32) throws -> Void = { _ in }
    ) throws -> Outcome {
        var theirs: [Int32: Int32] = [:]
        var feeds: [(descriptor: Int32, bytes: [UInt8])] = []
        var ours: [Int32] = []
        for (number, bytes) in descriptors.merging(input.map { [0: $0] } ?? [:], uniquingKeysWith: { $1 }) {
            let (read, write) = try ChildProcess.pipe()
            theirs[number] = read
            ours.append(read)
            feeds.append((write, bytes))
        }
        let errors = try ChildProcess.pipe()
        theirs[2] = errors.write
        ours.append(errors.write)
        var gathered: Int32?
        switch output {
        case .gathered:
            let (read, write) = try ChildProcess.pipe()
            theirs[1] = write
            ours.append(write)
            gathered = read
        case .file(let path):
            let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
            theirs[1] = file
            ours.append(file)
        case .brokenPipe:
            let (read, write) = try ChildProcess.pipe()
            close(read)
            theirs[1] = write
            ours.append(write)
        case .closed: break
        }
        let child = try ChildProcess(program, arguments, environment: environment, descriptors: theirs)
        ours.forEach { close($0) }
        try running(child.identifier)
        let writers = feeds.map { feed in
            let thread = Thread { Self.write(feed.bytes, to: feed.descriptor) }
            thread.start()
            return thread
        }
        let collector = Collector(errors.read)
        let bytes = gathered.map { Self.readAll($0) } ?? []
        let status = try child.wait()
        _ = writers
        return Outcome(status: status, bytes: bytes, messages: String(decoding: collector.finish(), as: UTF8.self))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        // The child may end without reading all: that is for the test to judge.
        signal(SIGPIPE, SIG_IGN)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        close(descriptor)
    }

    fileprivate static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count <= 0 { break }
            all += chunk[..<count]
        }
        close(descriptor)
        return all
    }

    // Reads on a thread of its own, so that a full pipe of messages never stops the child.
    private final class Collector: @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var bytes: [UInt8] = []

        init(_ descriptor: Int32) {
            Thread { [self] in
                bytes = CommandRunner.readAll(descriptor)
                done.signal()
            }.start()
        }

        func finish() -> [UInt8] {
            done.wait()
            return bytes
        }
    }
}
