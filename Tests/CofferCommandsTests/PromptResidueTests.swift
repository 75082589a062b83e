import Foundation
import Glibc
import TestSupport
import Testing

/// The memory of the program while it waits for a person.
@Suite struct PromptResidueTests {
    @Test("what was typed stands once in guarded memory, and a passphrase that was used nowhere")
    func prompts() throws {
        let session = try CofferSession(passphrase: "vgjTRWZQ4k8xEnMd-lemon")
        let value = "q8Zt2LmW5rYx-canary-Kp7"
        let terminal = try PseudoTerminal()
        // Lazy binding would spill vector registers to the stack; release builds are linked with -z now.
        let environment = session.runner.environment.merging(["LD_BIND_NOW": "1"]) { $1 }
        let (program, words) = MemoryScan.visible(session.runner.program, ["set", "a", "-q"])
        let child = try terminal.start(program, words, environment: environment)
        try terminal.expect("Passphrase of ")
        #expect(terminal.waitForEcho(false))
        terminal.type("vgjTRWZQ4k8xEnMd-lemon\n")
        try terminal.expect("Value of ")
        #expect(terminal.waitForEcho(false))
        // A second thread would take the signals that the prompt holds back.
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/task")
        #expect(threads.count == 1)
        terminal.type(value + "\n")
        try terminal.expect("The same again: ")
        #expect(terminal.waitForEcho(false))
        let scan = MemoryScan([
            "passphrase": Array("vgjTRWZQ4k8xEnMd-lemon".utf8), "value": Array(value.utf8),
            "control": Array("s3Qw9-never-typed-Hj2".utf8),
        ])
        try MemoryScan.looking {
            let report = try scan.run(child.identifier)
            #expect(report["passphrase"].isEmpty, "\(report)")
            #expect(report.holdsOneGuardedCopy(of: "value"), "\(report)")
            #expect(report["control"].isEmpty)
        }
        kill(child.identifier, SIGINT)
        #expect(try child.wait() == .killed(SIGINT))
        #expect(terminal.echoes)
    }

    @Test("a value that waits to be read by another program stands in guarded memory alone")
    func output() throws {
        let session = try CofferSession()
        let value = String((0..<100_000).map { _ in "abcdefghijkmnopqrstuvwxyz23456789".randomElement() ?? "x" })
        #expect(try session.run(["set", "a"], text: value).code == 0)
        let canary = Array(value.utf8.suffix(40))
        for arguments in [["get", "a"], ["get", "a", "--json"]] {
            let pipe = try ChildProcess.pipe()
            let environment = session.runner.environment.merging(["LD_BIND_NOW": "1"]) { $1 }
            let (program, words) = MemoryScan.visible(
                session.runner.program, arguments + ["--passphrase-file", session.passphraseFile])
            let child = try ChildProcess(program, words, environment: environment, descriptors: [1: pipe.write])
            close(pipe.write)
            // The pipe holds less than the value: the program waits in write(2).
            var chunk = [UInt8](repeating: 0, count: 1)
            #expect(unsafe read(pipe.read, &chunk, 1) == 1)
            usleep(100_000)
            try MemoryScan.looking {
                let report = try MemoryScan(["end": canary]).run(child.identifier)
                #expect(!report["end"].isEmpty)
                #expect(report["end"].allSatisfy { $0.mapping == .guarded }, "\(arguments) \(report)")
            }
            var rest = [UInt8](repeating: 0, count: 65536)
            while unsafe read(pipe.read, &rest, rest.count) > 0 {}
            close(pipe.read)
            #expect(try child.wait() == .exited(0))
        }
    }
}
