import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct UntouchedTests {
    /// All that shows of a directory whether something in it was written.
    private func state(_ directory: URL) throws -> [String: String] {
        var state: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) + ["."] {
            let url = directory.appendingPathComponent(name)
            var status = stat()
            try #require(unsafe stat(url.path, &status) == 0)
            let bytes = name == "." ? "" : try Data(contentsOf: url).base64EncodedString()
            let times =
                "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
            state[name] = "\(status.st_ino) \(status.st_mode) \(times) \(bytes)"
        }
        return state
    }

    @Test("what reads leaves the vault's directory as it was")
    func reading() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "value").code == 0)
        let before = try state(session.fixture.directory)
        #expect(before.count >= 3)
        let commands: [[String]] = [
            ["get", "a"], ["get", "a", "--json"], ["get", "a", "-0"], ["list"], ["list", "--json"], ["check"],
            ["check", "--json"], ["inspect"], ["inspect", "--json"],
        ]
        for command in commands {
            #expect(try session.run(command).code == 0, "\(command)")
            #expect(try state(session.fixture.directory) == before, "\(command)")
        }
        #expect(try session.run(["get", "absent"]).code == 16)
        #expect(try state(session.fixture.directory) == before)
    }
}
