import Foundation
import TestSupport
import Testing

@Suite struct ImportTests {
    /// What a process catches, ignores and is limited to, as the kernel tells of it.
    static func facts(_ child: MemoryScanChild) throws -> [String] {
        let status = try String(contentsOfFile: "/proc/\(child.identifier)/status", encoding: .utf8)
        let limits = try String(contentsOfFile: "/proc/\(child.identifier)/limits", encoding: .utf8)
        let names = ["SigCgt:", "SigIgn:", "SigBlk:", "NoNewPrivs:", "VmLck:", "Max "]
        return (status + limits).split(separator: "\n").map(String.init).filter { line in
            names.contains { line.hasPrefix($0) }
        }
    }

    @Test("importing the library changes no signal, limit or dump setting of the process")
    func importing() throws {
        let probe = try MemoryScanChild("ResidueProbe", ["idle"])
        #expect(try probe.line() == "dumpable 1")
        // A program of the system, started the same way: its state is what this process passes on.
        let other = try MemoryScanChild("/bin/sh", ["-c", "echo ready; exec cat"])
        #expect(try other.line() == "ready")
        while try String(contentsOfFile: "/proc/\(other.identifier)/comm", encoding: .utf8) != "cat\n" { usleep(1000) }
        let found = try Self.facts(probe)
        #expect(found == (try Self.facts(other)))
        #expect(found.count > 15)
    }
}
