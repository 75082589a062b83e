internal import Glibc
internal import SecureMemory
internal import VaultFile

/// Gets the value for `set`: generated, from a file, from the command line, through a pipe, or from a person.
struct ValueInput: ~Copyable {
    /// No vault holds more.
    static let longest = Limits.plaintext.upperBound

    private let arguments: Arguments
    private let name: String
    private let vault: String
    private let type: ValueType
    // Of `--file`.
    private let file: Int32?

    /// Checks the options and opens the file, before anyone is asked for anything.
    init(_ arguments: Arguments, name: String, vault: String) throws(Failure) {
        let chosen = try ValueType.chosen(in: arguments)
        let type = chosen ?? .string
        let sources = [CommandOption.file, .value, .generate].filter { arguments.has($0) }
        guard sources.count <= 1 else { throw .usage("a value has one source: --file, --value or --generate") }
        if arguments.has(.value), !(chosen?.mayBeArgument ?? false), !arguments.has(.notSecret) {
            throw .usage(
                "a value on the command line can be seen by every process and stays in the shell's history",
                hint: "leave --value out to be asked, pipe it in, or add --not-secret if it is none")
        }
        if arguments.has(.generate) {
            guard type == .string else { throw .usage("--generate makes strings") }
            _ = try Self.generatedLength(arguments)
        }
        let path = arguments.value(of: .file)
        guard path != "-" else {
            throw .usage(
                "--file takes the path of a file",
                hint: "leave --file out to read standard input; a file of that name is ./-")
        }
        let file: Int32? = if let path { try Self.open(path) } else { nil }
        self.arguments = arguments
        self.name = name
        self.vault = vault
        self.type = type
        self.file = file
    }

    deinit { if let file { Descriptors.close(file) } }

    private static func step(_ path: String) -> String { "reading the value from \(Escaping.quoted(path))" }

    private static func open(_ path: String) throws(Failure) -> Int32 {
        let descriptor: Int32
        do throws(SystemError) { descriptor = try Descriptors.open(reading: path) } catch {
            throw .system(step(path), error)
        }
        if Descriptors.isTerminal(descriptor) {
            Descriptors.close(descriptor)
            throw .usage(
                "\(Escaping.quoted(path)) is a terminal, which would show the value",
                hint: "leave --file out to be asked for it")
        }
        return descriptor
    }

    /// Gets the value.
    ///
    /// - Returns: a complete canonical list whose root is the value.
    func list() throws(Failure) -> GuardedBuffer {
        if arguments.has(.generate) {
            let length = try Self.generatedLength(arguments)
            let secret = try guarded { () throws(SecureMemoryError) in try GeneratedSecret.make(length: length) }
            return try type.list(of: secret.bytes)
        }
        if let text = arguments.value(of: .value) {
            let bytes = Array(text.utf8)
            return try checked(unsafe bytes.span.bytes)
        }
        if let file, let path = arguments.value(of: .file) { return try contents(of: file, step: Self.step(path)) }
        if !Descriptors.isTerminal(STDIN_FILENO) {
            return try contents(of: STDIN_FILENO, step: "reading the value from standard input")
        }
        let prompt = try Prompt(arguments, missing: "the value", options: "--file, --generate or through a pipe")
        let question = "Value of \(Escaping.quoted(name)) in \(Escaping.quoted(vault)): "
        // What may stand on the command line may be seen: a person types it better so, and once.
        if type.mayBeArgument || arguments.has(.notSecret) {
            let line = try prompt.once(question, isShown: true)
            return try checked(line.bytes)
        }
        let line = try prompt.twice(question, again: "The same again: ", what: "values")
        return try checked(line.bytes)
    }

    private static func generatedLength(_ arguments: Arguments) throws(Failure) -> Int {
        guard let text = arguments.value(of: .generate), !text.isEmpty else { return GeneratedSecret.defaultLength }
        guard let length = Int(text), (8...GeneratedSecret.longest).contains(length) else {
            throw .usage("--generate takes a length from 8 to \(GeneratedSecret.longest)")
        }
        return length
    }

    private func contents(of descriptor: Int32, step: String) throws(Failure) -> GuardedBuffer {
        var arena = try guarded { () throws(SecureMemoryError) in try GuardedArena(capacity: 65536) }
        var chunk = try guarded { () throws(SecureMemoryError) in try GuardedBuffer(count: 65536) }
        var depth = JSONDepth(maximum: ValueType.maximumDepth)
        while true {
            let got: Int
            do throws(SystemError) {
                got = try Descriptors.read(descriptor, into: &chunk, at: 0)
            } catch {
                throw .system(step, error)
            }
            if got == 0 { break }
            if type == .json {
                do throws(JSONError) { try depth.check(chunk.bytes.extracting(first: got)) } catch {
                    throw .refusedJSON(error)
                }
            }
            guard arena.count + got <= Self.longest else {
                throw Failure(.limitExceeded, "the value is larger than \(Self.longest) bytes, and no vault holds more")
            }
            do throws(SecureMemoryError) { try arena.append(chunk.bytes.extracting(first: got)) } catch {
                throw .outOfMemory
            }
        }
        // Bytes are bytes; text from a file or a pipe ends with a newline that nobody means.
        let count = type == .data ? arena.count : UTF8Text.countWithoutNewline(arena.bytes)
        return try checked(arena.bytes.extracting(first: count))
    }

    private func checked(_ bytes: RawSpan) throws(Failure) -> GuardedBuffer {
        guard bytes.byteCount > 0 || arguments.has(.allowEmpty) else {
            throw Failure(
                .refused, "the value is empty; nothing was changed", hint: "--allow-empty stores it as it is")
        }
        return try type.list(of: bytes)
    }
}

extension CommandOption {
    static let type = CommandOption(
        "type", "TYPE", "string (unless told), integer, real, boolean, date, data or json")
    static let file = CommandOption("file", "FILE", "the value is the contents of FILE")
    static let value = CommandOption(
        "value", "VALUE", "the value itself; only for numbers, booleans and dates, or with --not-secret")
    static let notSecret = CommandOption(
        "not-secret", nil, "the value is text that anyone may see: --value may hold it, a prompt shows it")
    static let generate = CommandOption(
        "generate", "LENGTH", optional: true, "make a random password, of 24 characters unless told")
    static let allowEmpty = CommandOption("allow-empty", nil, "store a value of no bytes")
}
