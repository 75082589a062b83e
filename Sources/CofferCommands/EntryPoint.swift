internal import Glibc
package import SecureMemory

/// Runs the command line.
///
/// - Parameters:
///   - count: the number of words.
///   - words: the words, with the name of the program first.
///   - refusals: what the system refused of the protection of this process.
/// - Returns: the status to exit with.
package func main(
    _ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    refusals: ProcessHardening.Refusals
) -> Int32 {
    Descriptors.occupyStandard()
    WriteSignals.ignore()
    let console = Console(isQuiet: false)
    do throws(Failure) {
        let table = CommandTable.coffer
        switch try unsafe table.parse(count: count, words: words) {
        case .help(let command, let arguments):
            let help = HelpText(table)
            if arguments.has(.json) {
                try console.write(command.map { help.json(for: $0).text } ?? help.overviewAsJSON)
            } else {
                try console.write(command.map { help.text(for: $0) } ?? help.overview)
            }
        case .version(let arguments):
            try VersionCommand.write(asJSON: arguments.has(.json), to: console)
        case .run(let command, let arguments):
            try PassphraseOrigin.checkDescriptors(in: arguments)
            let console = Console(isQuiet: arguments.has(.quiet))
            warn(of: refusals, on: console)
            try run(command, Session(arguments: arguments, console: console, table: table, refusals: refusals))
        }
        return ExitCode.success.rawValue
    } catch {
        console.report(error)
        return error.code.rawValue
    }
}

private func warn(of refusals: ProcessHardening.Refusals, on console: Console) {
    if refusals.contains(.notDumpable) {
        console.warning("other processes of this user may look into this one's memory: the system lets them")
    }
    if refusals.contains(.noCore) { console.warning("a crash may write this process's memory to a core file") }
    if refusals.contains(.noBacktrace) { console.warning("a crash may print parts of this process's memory") }
}

private func run(_ command: Command, _ session: Session) throws(Failure) {
    do {
        try command.run(session)
    } catch {
        throw Failure(describing: error, vault: try? session.vaultPath())
    }
}
