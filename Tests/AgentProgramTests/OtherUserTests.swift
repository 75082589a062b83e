import CofferAgent
import Foundation
import Glibc
import TestSupport
import Testing

/// Other users, and other programs of the same one, on the agent.
@Suite struct OtherUserTests {
    private static let nobody: UInt32 = 65_534

    /// Runs a command of a shell, as another user where one is given.
    private func shell(
        _ command: String, as user: UInt32? = nil, environment: [String: String] = [:]
    ) throws -> CommandRunner.Outcome {
        let words = (user.map { setpriv($0) } ?? []) + ["/bin/sh", "-c", command]
        return try CommandRunner(words[0], environment: environment).run(Array(words.dropFirst()))
    }

    @Test("another user can neither connect, nor read the agent's memory", .enabled(if: geteuid() == 0))
    func strangers() throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock()
        // So that the runtime directory alone keeps them out.
        unsafe chmod(home.root, 0o755)
        let status = try shell(
            "exec '\(home.runner.program)' status", as: Self.nobody, environment: home.runner.environment)
        #expect(status.code == 18)
        #expect(status.messages.contains(home.runtime), "\(status.messages)")
        let connect = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            try: s.connect('\(home.location.socketPath)')
            except PermissionError: sys.exit(7)
            s.settimeout(60)
            try: s.sendall(b'\\5\\0\\0\\0\\0\\1\\0\\0\\0')
            except OSError: sys.exit(8)
            try: sys.exit(9 if s.recv(1) else 8)
            except OSError: sys.exit(8)
            """
        func connecting() throws -> Int32 {
            let words = setpriv(Self.nobody) + ["/usr/bin/python3", "-c", connect]
            return try CommandRunner(words[0]).run(Array(words.dropFirst())).code
        }
        #expect(try connecting() == 7)
        for file in ["mem", "maps", "environ"] {
            #expect(try shell(": < /proc/\(home.agent)/\(file)", as: Self.nobody).code != 0)
        }
        // And with the door open: not one byte.
        unsafe chmod(home.runtime, 0o777)
        unsafe chmod(home.location.socketPath, 0o777)
        #expect(try connecting() == 8)
        unsafe chmod(home.runtime, 0o700)
        #expect(try home.run(["get", "first"]).bytes == home.values["first"])
    }

    @Test(
        "a directory or a socket that another user made first is refused, and that is said",
        .enabled(if: geteuid() == 0))
    func squatters() throws {
        let home = try AgentHome()
        unsafe chmod(home.root, 0o1777)
        let unlock = ["unlock", "--passphrase-file", home.passphraseFile]
        #expect(try shell("mkdir -m 700 '\(home.runtime)'", as: Self.nobody).code == 0)
        for words in [unlock, ["agent", "run"], ["agent", "start"], ["status"]] {
            let outcome = try home.run(words)
            #expect(outcome.code == 18, "\(words)")
            #expect(outcome.messages.contains(home.runtime), "\(words): \(outcome.messages)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.runtime).isEmpty)

        // A link of theirs to a directory that is ours.
        #expect(
            try shell("rmdir '\(home.runtime)' && ln -s '\(home.root)/own' '\(home.runtime)'", as: Self.nobody).code
                == 0)
        try FileManager.default.createDirectory(
            atPath: "\(home.root)/own", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let linked = try home.run(unlock)
        #expect(linked.code == 18)
        #expect(linked.messages.contains(home.runtime), "\(linked.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(home.root)/own").isEmpty)

        // A directory of ours that they may write, with a listener of theirs.
        unsafe unlink(home.runtime)
        unsafe mkdir(home.runtime, 0o777)
        unsafe chmod(home.runtime, 0o777)
        let listener = """
            import socket, time
            s = socket.socket(socket.AF_UNIX); s.bind('\(home.location.socketPath)'); s.listen(8)
            print('listening', flush=True)
            c, _ = s.accept(); print(len(c.recv(100)), flush=True); time.sleep(60)
            """
        let words = setpriv(Self.nobody) + ["/usr/bin/python3", "-c", listener]
        let child = try MemoryScanChild(words[0], Array(words.dropFirst()))
        #expect(try child.line() == "listening")
        #expect(try home.run(unlock).code == 18)
        unsafe chmod(home.runtime, 0o700)
        let refused = try home.run(unlock)
        #expect(refused.code == 18)
        #expect(refused.messages.contains(home.location.socketPath), "\(refused.messages)")
        // Nothing was sent to it.
        #expect(try child.line() == "0")
    }

    @Test("the directory under $TMPDIR that another user made first is refused", .enabled(if: geteuid() == 0))
    func sharedFolder() throws {
        guard !FileManager.default.fileExists(atPath: "/run/user/0") else { return skipped("/run/user/0 comes first") }
        let home = try AgentHome()
        unsafe chmod(home.root, 0o1777)
        var runner = home.runner
        runner.environment["COFFER_RUNTIME_DIR"] = nil
        runner.environment["TMPDIR"] = home.root
        let directory = "\(home.root)/coffer-0"
        #expect(try shell("mkdir -m 777 '\(directory)'", as: Self.nobody).code == 0)
        let outcome = try runner.run(["unlock", "--passphrase-file", home.passphraseFile])
        #expect(outcome.code == 18)
        #expect(outcome.messages.contains(directory), "\(outcome.messages)")
    }

    @Test(
        "whatever the umask takes away, a user has an agent", .enabled(if: geteuid() == 0),
        arguments: ["000", "077", "277", "477", "777"])
    func umask(mask: String) throws {
        let home = try AgentHome()
        // Root could use what it has no permission for.
        unsafe chown(home.root, Self.nobody, Self.nobody)
        func coffer(_ words: String) throws -> CommandRunner.Outcome {
            try shell(
                "umask \(mask); exec '\(home.runner.program)' \(words)", as: Self.nobody,
                environment: home.runner.environment)
        }
        let started = try coffer("agent start")
        #expect(started.code == 0, "\(started.messages)")
        #expect(try coffer("status -q").code == 14)
        var status = stat()
        #expect(unsafe stat(home.runtime, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        #expect(try coffer("agent stop").code == 0)
    }

    @Test("another program of the same user cannot read the agent's memory")
    func sameUser() throws {
        let user = geteuid() == 0 ? Self.nobody : nil
        let home = try AgentHome()
        if let user {
            for path in [home.root, home.vault, home.passphraseFile] { unsafe chown(path, user, user) }
            // It may have been remembered by the one who made it.
            try? FileManager.default.removeItem(atPath: "\(home.root)/state")
        }
        if user == nil && !MemoryScan.mayBeSkipped {
            // In a namespace of its own the agent is seen by its owner; here it has to be plain.
            return skipped("only root starts an agent as somebody else here")
        }
        try home.start(as: user)
        let coffer = "'\(home.runner.program)'"
        let environment = home.runner.environment
        let unlock = try shell(
            "exec \(coffer) unlock --passphrase-file '\(home.passphraseFile)'", as: user, environment: environment)
        #expect(unlock.code == 0, "\(unlock.messages)")
        #expect(try shell("exec \(coffer) get first", as: user, environment: environment).bytes == home.values["first"])
        for file in ["mem", "maps", "environ", "syscall"] {
            let outcome = try shell(
                "cat /proc/\(home.agent)/\(file) | head -c 1", as: user)
            #expect(outcome.bytes.isEmpty, "\(file)")
        }
        #expect(try shell(": < /proc/\(home.agent)/mem", as: user).code != 0)
        // Another process of the user is open to it.
        #expect(
            try shell(
                "sleep 60 & : < /proc/$!/mem; code=$?; cat /proc/$!/maps | head -c 1; kill $!; exit $code", as: user
            )
            .bytes.count == 1)
    }
}
