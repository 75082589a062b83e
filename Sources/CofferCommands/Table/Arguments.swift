/// What a command line says: options with their arguments, and operands.
package struct Arguments: Sendable {
    private var values: [String: String] = [:]
    /// The words that are no options.
    package internal(set) var operands: [String] = []

    /// Whether an option was given.
    package func has(_ option: CommandOption) -> Bool { values["\(option.name)"] != nil }

    /// The argument of an option, if it was given.
    package func value(of option: CommandOption) -> String? { values["\(option.name)"] }

    /// Records an option; the same one twice is a mistake.
    mutating func record(_ option: CommandOption, _ value: String) throws(Failure) {
        guard values.updateValue(value, forKey: "\(option.name)") == nil || option.argument == nil else {
            throw .usage("\(option.spelling) was given twice")
        }
    }
}
