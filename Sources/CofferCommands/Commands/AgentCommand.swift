internal import CofferAgent

/// `agent`: the process that keeps vaults unlocked.
enum AgentCommand {
    static let command = Command(
        "agent", "start, end or be the process that keeps vaults unlocked",
        operands: [Operand("ACTION", "start, stop or run")], options: [.readyFD],
        details: [
            "start starts the agent in the background, if none is running; coffer unlock does so by itself. stop locks "
                + "every vault and ends it; the exit code is 18 if none is running.",
            "run is the agent itself, in the foreground, for a service manager: it takes a socket that systemd hands over, "
                + "and a SIGTERM, SIGINT or SIGHUP locks every vault and ends it.",
            "It listens in $COFFER_RUNTIME_DIR, else $XDG_RUNTIME_DIR/coffer, else /run/user/UID/coffer, else in a directory "
                + "of yours under $TMPDIR or /tmp. coffer status shows the socket.",
        ],
        examples: [
            .init("coffer agent stop", "locks everything and ends the agent"),
            .init("coffer agent run", "in the foreground; Ctrl-C ends it"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let action = session.operands[0]
        guard action == "run" || !session.arguments.has(.readyFD) else { throw Failure.usage("--ready-fd is for run") }
        switch action {
        case "start":
            _ = try session.startedAgent()
            session.console.note("the agent listens at \(Escaping.quoted(try session.agentLocation().socketPath))")
        case "stop":
            try stop(session)
            session.console.note("every vault is locked, and the agent has ended")
        case "run":
            let options = AgentProgram.Options(
                location: try session.agentLocation(), readyDescriptor: try readyDescriptor(session.arguments),
                refusals: session.refusals)
            if let failure = Failure(AgentProgram.run(options)) { throw failure }
        // The word itself is not repeated: it may be a secret in the wrong place.
        default:
            throw Failure.usage("unknown action", hint: "coffer agent start, coffer agent stop or coffer agent run")
        }
    }

    private static func stop(_ session: Session) throws(Failure) {
        do throws(Failure) { return try stop(try session.agent(anyVersion: true)) } catch {
            guard error == Failure(AgentClientError.broken) else { throw error }
        }
        // Somebody else had asked it to end, and it has; but there may be another by now.
        do throws(Failure) { try stop(try session.agent(anyVersion: true)) } catch {
            guard error == .noAgent else { throw error }
        }
    }

    private static func stop(_ agent: AgentLink) throws(Failure) {
        switch try agent.ask(.stop) {
        case .done:
            guard agent.waitForEnd() else {
                throw Failure(.agentUnavailable, "every vault is locked, but the agent has not ended in time")
            }
        case .failure(let failure): throw Failure(failure)
        default: throw AgentLink.nonsense
        }
    }

    private static func readyDescriptor(_ arguments: Arguments) throws(Failure) -> Int32? {
        guard let text = arguments.value(of: .readyFD) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text), number > 2 else {
            throw .usage("\(CommandOption.readyFD.spelling) needs the number of a descriptor above 2")
        }
        do throws(SystemError) { try Descriptors.checkIsOpen(number) } catch {
            throw .system("using descriptor \(number) for \(CommandOption.readyFD.spelling)", error)
        }
        return number
    }
}

extension CommandOption {
    static let readyFD = CommandOption(
        "ready-fd", "N",
        "for run: write the line \"ready\" to descriptor N once the agent listens, or else why not, and close it")
}
