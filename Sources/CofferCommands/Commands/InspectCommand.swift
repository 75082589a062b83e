internal import Coffer
internal import CofferAgent
internal import SecureMemory

/// `inspect`: what a file says to anybody, and with its passphrase what it is like inside, never what is in it.
enum InspectCommand {
    static let command = Command(
        "inspect", "show each field of a vault's file, also of a damaged one",
        operands: [Operand("FILE", optional: true, "a vault or a backup copy; else the vault")],
        options: [.ask, .json],
        details: [
            "All fields of the file in their order, with offset and width, and under a field what is wrong with it, after "
                + "a !. This is what someone learns who has the file and not the passphrase. The last line is the class and "
                + "the exit code that it ends with; why is in the message. (coffer check says the same in one line.)",
            "With --ask or a passphrase option it also opens the file, and shows the id of the vault, the number of the save, "
                + "sizes and numbers, but no name and no value. It changes nothing, and does not compare the file with what "
                + "was last seen here. What the agent has unlocked, it shows so without asking.",
            "A file that is not there, or cannot be read, has no fields: then there is the message alone, also with --json.",
        ],
        examples: [
            .init("coffer inspect backup.coffer", "without a passphrase"),
            .init("coffer inspect --ask backup.coffer", "asks for it: which save is this?"),
            .init("coffer inspect --json", "the same for programs"),
        ], run: run)

    private static func run(_ session: Session) throws {
        if session.arguments.has(.vault), !session.operands.isEmpty {
            throw Failure.usage("FILE and --vault both name a file", hint: "give one of them")
        }
        let path = try session.inspectedPath()
        let origin = try PassphraseOrigin.chosen(in: session.arguments, .current)
        let isOpening = origin != nil || session.arguments.has(.ask)
        var survey = try session.survey(of: path)
        var contents: ContentsSummary?
        // Again if the file was saved between the two looks at it.
        for _ in 0..<3 where survey.failure == nil {
            let found = session.contentsInAgent(of: survey)
            if case .ofAnotherSave = found {
                survey = try session.survey(of: path)
                continue
            }
            if case .contents(let summary) = found { contents = summary }
            break
        }
        let isJSON = session.arguments.has(.json)
        if !isJSON { try session.console.write(InspectionText.header(survey)) }
        var failure = survey.failure.map { Failure($0, vault: path) }
        if isOpening && contents == nil && failure == nil {
            do throws(Failure) { contents = try session.contents(of: survey) } catch { failure = error }
        }
        if isJSON {
            try session.console.write(InspectionJSON.text(survey, contents, failure))
        } else {
            if let contents { try session.console.write(InspectionText.contents(contents)) }
            // Not before: what the passphrase shows may be another class than that of the header.
            try session.console.write(InspectionText.verdict(survey.failure, failure))
        }
        if let protection = contents?.memoryProtection { session.warnOfMemory(protection) }
        if let failure { throw failure }
    }
}

/// What the agent knows of a file.
private enum ContentsInAgent {
    case unknown, ofAnotherSave
    case contents(ContentsSummary)
}

extension Session {
    /// The fields of the file are shown whatever becomes of the agent.
    fileprivate func contentsInAgent(of survey: borrowing VaultSurvey) -> ContentsInAgent {
        do {
            guard let access = try agentAccess(path: survey.path) else { return .unknown }
            let details = try access.details()
            guard details.check == InspectionFacts.bytes("check", survey.header) else { return .ofAnotherSave }
            return .contents(
                ContentsSummary(vaultID: details.vaultID, generation: details.generation, numbers: details.numbers))
        } catch let none as AgentAccess.NotUnlocked {
            tell(none)
        } catch {
            let failure = Failure(describing: error, vault: survey.path)
            console.warning("the agent does not say what is inside: \(failure.message)", hint: failure.hint)
        }
        return .unknown
    }

    fileprivate func survey(of path: String) throws(Failure) -> VaultSurvey {
        do throws(VaultError) { return try Vault(at: .file(path)).survey() } catch { throw Failure(error, vault: path) }
    }

    fileprivate func contents(of survey: borrowing VaultSurvey) throws(Failure) -> ContentsSummary {
        let passphrase = try PassphraseSource(arguments, vault: survey.path).current()
        let allowingAnyMemory = arguments.has(.allowLargeMemory)
        do throws(VaultError) {
            return try whileDeriving { () throws(VaultError) in
                try survey.contents(passphrase, allowingAnyMemory: allowingAnyMemory)
            }
        } catch {
            throw Failure(error, vault: survey.path)
        }
    }
}

extension CommandOption {
    static let ask = CommandOption("ask", nil, "ask for the passphrase, and show what the file is like inside")
}
