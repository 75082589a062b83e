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
        while true {
            do throws(AgentStartError) {
                let child = try AgentStarter.start(at: place.location, program: program, timeout: timeout)
                // A dead child that nobody asks for keeps the exit tests from hearing of theirs.
                var status: Int32 = 0
                if let child { unsafe waitpid(child, &status, 0) }
                return nil
            } catch {
                // A child of another test was started while the script was being written, and still has it open.
                guard error == .failed(step: "start the agent", errno: ETXTBSY) else { return error }
                usleep(10_000)
            }
        }
    }

    @Test("It runs apart from the terminal, the working directory and all that is open here")
    func detached() throws {
        let place = try TestPlace()
        let seen = "\(place.root)/seen"
        let script = """
            {
                echo "$*"
                pwd
                echo "$COFFER_RUNTIME_DIR"
                cut -d ' ' -f 1,6 /proc/$$/stat
            } >'\(seen)'
            readlink /proc/self/fd/0 /proc/$$/fd/2 >>'\(seen)'
            ls /proc/self/fd >'\(seen).open'
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
        #expect(lines[4...5] == ["/dev/null", "/dev/null"])
        // The last is what ls reads the names from.
        let open = try String(contentsOfFile: "\(seen).open", encoding: .utf8).split(separator: "\n")
        #expect(open == ["0", "1", "2", "3", "4"])
        #expect(place.mode(place.location.directory) == S_IFDIR | 0o700)
    }

    @Test("Of the environment it is given what it needs, and no more")
    func environment() throws {
        let place = try TestPlace()
        #expect(unsafe setenv("COFFER_STARTER_TEST", "1", 1) == 0)
        #expect(unsafe setenv("STARTER_TEST_TOKEN", "1", 1) == 0)
        #expect(unsafe setenv("LD_STARTER_TEST", "1", 1) == 0)
        let script = "tr '\\0' '\\n' </proc/$$/environ >'\(place.root)/seen'; echo ready >&3"
        #expect(try Self.failure(place, script) == nil)
        let lines = try String(contentsOfFile: "\(place.root)/seen", encoding: .utf8).split(separator: "\n")
        let names = lines.map { $0.prefix { $0 != "=" } }
        #expect(names.contains("COFFER_STARTER_TEST"))
        #expect(names.contains("PATH"))
        #expect(!names.contains("STARTER_TEST_TOKEN"))
        #expect(!names.contains { $0.hasPrefix("LD_") })
        #expect(names.filter { $0 == "COFFER_RUNTIME_DIR" }.count == 1)
    }

    @Test("An agent that closes its pipe and does not end is ended")
    func stuck() throws {
        let script = "exec 3>&-; exec sleep 60"
        #expect(try Self.failure(TestPlace(), script, timeout: .seconds(1)) == .timedOut)
    }

    @Test("An agent that ends before it is ready is told with its status")
    func ended() throws {
        #expect(try Self.failure(TestPlace(), "exit 7") == .ended(status: 7))
        #expect(try Self.failure(TestPlace(), "kill -9 $$") == .ended(status: 137))
    }

    @Test("An agent that says why it ends is heard, in one line of no more than a kibibyte")
    func reasons() throws {
        let (long, longer) = (String(repeating: "n", count: 1_013), String(repeating: "n", count: 1_014))
        let cases: [(line: String, AgentStartError)] = [
            ("refused\\t/run/é\\tit is no file", .refused(path: "/run/é", reason: "it is no file")),
            ("failed\\topen the lock\\t13", .failed(step: "open the lock", errno: EACCES)),
            ("refused\\t/\\t\(long)", .refused(path: "/", reason: long)),
            ("refused\\t/\\t\(longer)", .ended(status: 7)), ("refused\\t/\\ta\\033[1mb", .ended(status: 7)),
            ("refused\\t/\\t\\377", .ended(status: 7)), ("refused\\t/", .ended(status: 7)),
            ("failed\\tstep\\tmuch", .ended(status: 7)), ("", .ended(status: 7)), ("steady", .ended(status: 7)),
        ]
        for (line, error) in cases {
            #expect(try Self.failure(TestPlace(), "printf '\(line)\\n' >&3; exit 7") == error, "\(line)")
        }
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

    @Test("Where another agent was about to end, one is started all the same")
    func ending() throws {
        let place = try TestPlace()
        let script = """
            if mkdir '\(place.root)/first' 2>/dev/null; then echo running >&3; else echo ready >&3; fi
            """
        #expect(try Self.failure(place, script) == nil)
        #expect(place.mode("\(place.root)/first") != nil)
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
        #expect(unsafe chmod(place.location.directory, 0o700) == 0)
        #expect(unsafe chmod(place.root, 0o777) == 0)
        let writable = "others may put another in its place: they can write the directory around it"
        #expect(throws: AgentStartError.refused(path: place.location.directory, reason: writable)) {
            try AgentStarter.start(at: place.location, program: "/bin/true")
        }
        // Where nobody can rename what is another's it is well: so is /tmp.
        #expect(unsafe chmod(place.root, 0o1777) == 0)
        #expect(try Self.failure(place, "exit 7") == .ended(status: 7))
    }
}
