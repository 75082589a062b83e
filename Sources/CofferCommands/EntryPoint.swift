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
    BrokenPipe.ignore()
    let table = CommandTable.coffer
    var console = Console(isQuiet: false)
    do {
        switch try unsafe table.parse(count: count, words: words) {
        case .help(let command, _):
            let help = HelpText(table)
            try console.write(command.map { help.text(for: $0) } ?? help.overview)
        case .version(let arguments):
            try VersionCommand.write(asJSON: arguments.has(.json), to: console)
        case .run(let command, let arguments):
            console = Console(isQuiet: arguments.has(.quiet))
            try command.run(Session(arguments: arguments, console: console, table: table))
        }
        return ExitCode.success.rawValue
    } catch {
        let failure = Failure(describing: error)
        console.report(failure)
        return failure.code.rawValue
    }
}
