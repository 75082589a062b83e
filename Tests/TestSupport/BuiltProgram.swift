package import Foundation

/// A program that this package builds, beside the tests.
package enum BuiltProgram {
    /// Where the programs are: in the folder `$COFFER_TEST_PROGRAMS`, to test those of another build, or else beside the
    /// test bundle, or the program that runs the tests.
    package static let directory: URL = {
        if let folder = ProcessInfo.processInfo.environment["COFFER_TEST_PROGRAMS"] {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return URL(fileURLWithPath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent()
    }()

    /// Starts a program with a passphrase on its standard input.
    package static func start(_ name: String, _ arguments: [String], input: String) throws -> Process {
        let process = Process()
        process.executableURL = directory.appendingPathComponent(name)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = pipe
        try process.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        return process
    }
}
