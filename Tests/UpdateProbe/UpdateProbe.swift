import Coffer
import Foundation

// UpdateProbe VAULT TIMES [NAMES]: reads the passphrase from standard input and adds one to the setting "count", so
// many times. With NAMES each update adds one to that many settings, "count", "count1", and so on, and is told on
// standard output once it is made. A failure is told on standard error, its case first; the status is 15 then.

@main struct UpdateProbe {
    static func main() {
        do {
            try run(CommandLine.arguments)
        } catch {
            FileHandle.standardError.write(Data("UpdateProbe: \(name(of: error)): \(error)\n".utf8))
            exit(15)
        }
    }

    /// Which error it is, as it is written in the source, without what it carries.
    private static func name(of error: any Error) -> String {
        Mirror(reflecting: error).children.first?.label ?? "\(type(of: error))"
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 3 || arguments.count == 4, let times = Int(arguments[2]),
            let names = arguments.count == 3 ? 1 : Int(arguments[3])
        else { throw VaultError.refused(reason: "usage") }
        let counts = (0..<names).map { SettingKey("count\($0 == 0 ? "" : String($0))", default: 0) }
        let vault = Vault(at: .file(arguments[1]))
        try vault.unlock(Secret(readingLineFrom: 0))
        for number in 1...times {
            try vault.update { draft in
                for count in counts { draft.set(count, to: try draft.get(count) + 1) }
            }
            if arguments.count == 4 { try FileHandle.standardOutput.write(contentsOf: Data("made \(number)\n".utf8)) }
        }
        vault.lock()
    }
}
