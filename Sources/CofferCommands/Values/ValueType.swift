internal import PropertyLists
internal import SecureMemory

/// What `set --type` can make of the bytes it is given.
enum ValueType: String, CaseIterable {
    case string, integer, real, boolean, date, data, json

    /// The deepest container of a value: the dictionary of all settings is one more.
    static let maximumDepth = 31

    /// The type that an option names.
    static func chosen(in arguments: Arguments) throws(Failure) -> ValueType? {
        guard let text = arguments.value(of: .type) else { return nil }
        guard let type = ValueType(rawValue: text) else {
            throw .usage("--type is one of \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return type
    }

    /// Whether a value of the type may stand on the command line: those are no secrets.
    var mayBeArgument: Bool {
        switch self {
        case .integer, .real, .boolean, .date: true
        case .string, .data, .json: false
        }
    }

    /// Makes a complete canonical list whose root is the value.
    ///
    /// - Parameter text: the bytes; for text, without the newline.
    /// - Throws: `refused` when the bytes are no value of the type.
    func list(of text: RawSpan) throws(Failure) -> GuardedBuffer {
        switch self {
        case .string:
            guard UTF8Text.isValid(text) else {
                throw Failure(.refused, "the value is not valid UTF-8", hint: "--type data stores any bytes")
            }
            return try build { (builder) throws(PropertyListError) in try builder.string(utf8: text) }
        case .data: return try build { (builder) throws(PropertyListError) in try builder.data(text) }
        case .integer:
            guard let value = NumberText.integer(text) else {
                throw Failure(.refused, "the value is not an integer that fits 64 bits")
            }
            return try build { (builder) throws(PropertyListError) in try builder.integer(value) }
        case .real:
            guard let value = try guarded({ () throws(SecureMemoryError) in try NumberText.real(text) }) else {
                throw Failure(.refused, "the value is not a number", hint: "such as 1.5, 1e-3, inf or nan")
            }
            return try build { (builder) throws(PropertyListError) in try builder.real(value) }
        case .boolean:
            guard let value = Self.boolean(text) else { throw Failure(.refused, "the value is not true or false") }
            return try build { (builder) throws(PropertyListError) in try builder.boolean(value) }
        case .date:
            guard let seconds = DateText.seconds(of: text) else {
                throw Failure(
                    .refused, "the value is not a date", hint: "such as 2024-02-29 or 2024-02-29T12:00:00+01:00")
            }
            guard DateText.text(of: seconds) != nil else {
                throw Failure(
                    .refused, "the value is a date that cannot be written again as it is",
                    hint: "its year is out of 0 to 9999, or its fraction is too small")
            }
            return try build { (builder) throws(PropertyListError) in try builder.date(seconds) }
        case .json:
            do throws(JSONError) {
                return try JSONReader.propertyList(of: text, maximumDepth: Self.maximumDepth)
            } catch {
                throw .refusedJSON(error)
            }
        }
    }

    private static func boolean(_ text: RawSpan) -> Bool? {
        if text.isWord("true") { return true }
        return text.isWord("false") ? false : nil
    }

    private func build(
        _ body: (inout PropertyListBuilder) throws(PropertyListError) -> Void
    ) throws(Failure) -> GuardedBuffer {
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try body(&builder)
            return try builder.finish(maximumDepth: Self.maximumDepth)
        } catch {
            if error.code == .outOfMemory { throw .outOfMemory }
            throw Failure(.limitExceeded, "the value is larger than a vault can hold")
        }
    }
}

extension Failure {
    /// JSON that is no value.
    static func refusedJSON(_ error: JSONError) -> Failure {
        error.code == .outOfMemory ? .outOfMemory : Failure(.refused, "the value was refused: \(error.text)")
    }
}
