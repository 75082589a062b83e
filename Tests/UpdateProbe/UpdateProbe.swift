import Coffer
import Foundation

// UpdateProbe VAULT TIMES [NAMES]: reads the passphrase from standard input and adds one to the setting "count", so
// many times. With NAMES each update adds one to that many settings, "count", "count1", and so on, and is told on
// standard output once it is made.

@main struct UpdateProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4, let times = Int(arguments[2]),
            let names = arguments.count == 3 ? 1 : Int(arguments[3])
        else { throw VaultError.refused(reason: "usage") }
        let counts = (0..<names).map { SettingKey("count\($0 == 0 ? "" : String($0))", default: 0) }
        let vault = Vault(at: .file(arguments[1]))
        try vault.unlock(Secret(readingLineFrom: 0))
        for number in 0..<times {
            try vault.update { draft in
                for count in counts { draft.set(count, to: try draft.get(count) + 1) }
            }
            if arguments.count == 4 { FileHandle.standardOutput.write(Data("made \(number + 1)\n".utf8)) }
        }
        vault.lock()
    }
}
