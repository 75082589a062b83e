import CofferAgent
import Foundation
import Testing

@Suite("Starting an agent")
struct StarterTests {
    /// A program that does in the agent's place what a script says.
    private static func program(_ place: TestPlace, _ script: String) throws -> String {
        let path = "\(place.root)/program"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
        #expect(unsafe chmod(path, 0o700) == 0)
        return path
    }

    private static func failure(
        _ place: TestPlace, _ script: String, timeout: Duration = .seconds(10)
    ) throws -> AgentStartError? {
        let program = try program(place, script)
        do throws(AgentStartError) {
            try AgentStarter.start(at: place.location, program: program, timeout: timeout)
            return nil
        } catch { return error }
    }

    @Test("It runs apart from the terminal, the working directory and all that is open here")
    func detached() throws {
        let place = try TestPlace()
        let seen = "\(place.root)/seen"
        let script = """
            exec 4>'\(seen)'
            echo "$*" >&4
            pwd >&4
            echo "$COFFER_RUNTIME_DIR" >&4
            cut -d ' ' -f 1,6 /proc/$$/stat >&4
            links=$(for number in 0 1 2; do readlink /proc/$$/fd/$number; done)
            echo "$links" >&4
            ls /proc/$$/fd | grep -vE '^(10|4)$' | tr '\\n' ' ' >&4
            echo ready >&3
            """
        #expect(try Self.failure(place, script) == nil)
        let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
        #expect(lines[0] == "agent run --ready-fd 3")
        #expect(lines[1] == "/")
        #expect(lines[2] == place.location.directory)
        // The leader of a session of its own.
        let numbers = lines[3].split(separator: " ")
        #expect(numbers.count == 2 && numbers[0] == numbers[1])
        #expect(lines[4...6] == ["/dev/null", "/dev/null", "/dev/null"])
        #expect(lines[7] == "0 1 2 3 ")
        #expect(place.mode(place.location.directory) == S_IFDIR | 0o700)
    }

    @Test("An agent that ends before it is ready is told with its status")
    func ended() throws {
        #expect(try Self.failure(TestPlace(), "exit 7") == .ended(status: 7))
        #expect(try Self.failure(TestPlace(), "kill -9 $$") == .ended(status: 137))
    }

    @Test("An agent that is not ready in time is ended")
    func late() throws {
        let place = try TestPlace()
        let script = "echo $$ > '\(place.root)/number'; exec sleep 60"
        #expect(try Self.failure(place, script, timeout: .seconds(1)) == .timedOut)
        let text = try String(contentsOfFile: "\(place.root)/number", encoding: .utf8)
        let number = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        #expect(kill(number, 0) == -1)
    }

    @Test("Where another agent was faster, that one is waited for")
    func running() throws {
        let place = try TestPlace()
        let script = "echo running >&3; exit 0"
        #expect(try Self.failure(place, script, timeout: .milliseconds(300)) == .timedOut)
        let agent = try TestAgent(place)
        #expect(try Self.failure(place, script) == nil)
        try agent.stop()
    }

    @Test("What is wrong with the place or the program is told before anything runs")
    func refused() throws {
        let place = try TestPlace()
        #expect(throws: AgentStartError.failed(step: "start the agent", errno: ENOENT)) {
            try AgentStarter.start(at: place.location, program: "\(place.root)/nothing")
        }
        #expect(unsafe chmod(place.location.directory, 0o750) == 0)
        let reason = "others may enter it: it needs the permissions 0700"
        #expect(throws: AgentStartError.refused(path: place.location.directory, reason: reason)) {
            try AgentStarter.start(at: place.location, program: "/bin/true")
        }
    }
}
