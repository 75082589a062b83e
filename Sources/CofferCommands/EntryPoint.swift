internal import Glibc
internal import SecureMemory

/// Runs the command line.
///
/// - Parameters:
///   - count: the number of words.
///   - words: the words, with the name of the program first.
/// - Returns: the status to exit with.
public func main(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    Descriptors.occupyStandard()
    WriteSignals.ignore()
    let console = Console(isQuiet: false)
    do throws(Failure) {
        let table = CommandTable.coffer
        switch try unsafe table.parse(count: count, words: words) {
        case .help(let command, _):
            let help = HelpText(table)
            try console.write(command.map { help.text(for: $0) } ?? help.overview)
        case .version(let arguments):
            try VersionCommand.write(asJSON: arguments.has(.json), to: console)
        case .run(let command, let arguments):
            try PassphraseOrigin.checkDescriptors(in: arguments)
            let console = Console(isQuiet: arguments.has(.quiet))
            try run(command, Session(arguments: arguments, console: console, table: table))
        }
        return ExitCode.success.rawValue
    } catch {
        console.report(error)
        return error.code.rawValue
    }
}

private func run(_ command: Command, _ session: Session) throws(Failure) {
    do {
        try command.run(session)
    } catch {
        throw Failure(describing: error, vault: try? session.vaultPath())
    }
}
