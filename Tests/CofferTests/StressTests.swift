import Foundation
import TestSupport
import Testing

@Suite struct StressTests {
    // `make stress` does it for longer, and under the thread sanitizer.
    @Test("sixteen threads of reads, updates, locks and unlocks lose nothing and read nothing stale")
    func threads() throws {
        let process = Process()
        process.executableURL = BuiltProgram.directory.appendingPathComponent("StressProbe")
        process.arguments = ["3", "16"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        for operation in ["reads", "updates", "unlocks", "locks", "dropped", "cached"] {
            #expect(text.contains(operation), "\(text)")
        }
        // The observers have seen something too.
        #expect(text.contains("events ") && !text.contains("events 0\n"), "\(text)")
    }
}
