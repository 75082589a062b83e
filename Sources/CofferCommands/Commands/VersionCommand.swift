internal import Coffer

/// `version`: which program this is.
enum VersionCommand {
    /// The version of the program.
    static let number = LibraryVersion.string

    static let command = Command(
        "version", "say which version this is", options: [.json],
        run: { try write(asJSON: $0.arguments.has(.json), to: $0.console) })

    static func write(asJSON: Bool, to console: Console) throws(Failure) {
        guard asJSON else { return try console.write("coffer \(number) (vault format 1)\n") }
        try console.write(JSONText.object([("version", .string(number)), ("format", .integer(1))]).text)
    }
}
