import CofferCommands
import SecureMemory

/// Command lines: the words are the lines of the input, and a byte 1 in them stands for a secret in the wrong place.
enum OptionsArea {
    private static let secret = "S3CRET-7x"
    private static let mostWords = 64

    static func run(_ input: RawSpan) {
        var words: [[UInt8]] = [Array("coffer".utf8)]
        for line in input.array.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(mostWords) {
            // A word ends with its first zero, for the system too.
            words.append(line.prefix { $0 != 0 }.flatMap { $0 == 1 ? Array(secret.utf8) : [$0] })
        }
        do throws(Failure) {
            try check(parsed(words), of: words)
        } catch {
            promise(error.code == .usage, "a command line is refused as one: \(error.code)")
            let texts = [error.message, error.hint ?? ""]
            promise(!texts.contains { $0.contains(secret) }, "no message repeats what may be a secret")
            // What is shown of a word is no more than letters and hyphens.
            promise(texts.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }, "a message is plain text")
        }
        for word in words.dropFirst() { duration(word) }
    }

    private static func parsed(_ words: [[UInt8]]) throws(Failure) -> CommandTable.Request {
        let storage = unsafe words.map { word in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
            for (index, byte) in word.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
            unsafe copy[word.count] = 0
            return unsafe copy
        }
        // The words are moved about, so what is given back is what was allocated.
        defer { unsafe storage.forEach { unsafe $0.deallocate() } }
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe storage + [nil]
        return try unsafe CommandTable.coffer.parse(count: Int32(words.count), words: &pointers)
    }

    private static func check(_ request: CommandTable.Request, of words: [[UInt8]]) {
        switch request {
        case .help(let command, let arguments):
            let help = HelpText(CommandTable.coffer)
            promise(!(command.map { help.text(for: $0) } ?? help.overview).isEmpty, "there is help")
            check(arguments, words)
            check(arguments, of: command?.options ?? [], words)
        case .version(let arguments):
            check(arguments, words)
            check(arguments, of: [], words)
        case .run(let command, let arguments):
            promise(words.contains(Array(command.name.utf8)), "the verb is one of the words")
            check(arguments, words)
            check(arguments, of: command.options, words)
        }
    }

    /// What an option is said to have got stands in the words, and an option that stands there is not passed over.
    private static func check(_ arguments: Arguments, of options: [CommandOption], _ words: [[UInt8]]) {
        for option in CommandOption.global + [.json] + options {
            let spelling = Array(option.spelling.utf8)
            if let value = arguments.value(of: option) {
                let isThere = stands(option, Array(value.utf8), in: words)
                promise(isThere, "what \(option.spelling) has got is one of the words")
            }
            // A word is an option for sure where the word before it cannot be waiting for an argument.
            for (before, word) in zip(words, words.dropFirst()) {
                if before.elementsEqual("--".utf8) { break }
                let names = word == spelling || word.starts(with: spelling + "=".utf8)
                promise(!names || before.first == hyphen || arguments.has(option), "\(option.spelling) is passed over")
            }
        }
    }

    private static let hyphen = UInt8(ascii: "-")

    /// Whether an argument is the word after its option, or the end of its word: after `=`, or after its one letter.
    private static func stands(_ option: CommandOption, _ value: [UInt8], in words: [[UInt8]]) -> Bool {
        let long = Array(option.spelling.utf8)
        let letter = option.short.map { UInt8(ascii: $0) }
        return words.indices.dropFirst().contains { index in
            let word = words[index]
            let next = index + 1 < words.count ? words[index + 1] : nil
            let isShort = word.first == hyphen && word.dropFirst().first != hyphen
            let letters = word.indices.dropFirst().filter { isShort && word[$0] == letter }
            let ends = letters.map { Array(word[($0 + 1)...]) }
            guard option.argument != nil else { return value.isEmpty && (word == long || !ends.isEmpty) }
            if word == long + "=".utf8 + value || ends.contains(where: { !$0.isEmpty && $0 == value }) { return true }
            if option.argumentIsOptional { return value.isEmpty && word == long }
            return next == value && (word == long || ends.contains { $0.isEmpty })
        }
    }

    /// Operands are words, in their order.
    private static func check(_ arguments: Arguments, _ words: [[UInt8]]) {
        var rest = words.dropFirst()
        for operand in arguments.operands {
            guard let index = rest.firstIndex(of: Array(operand.utf8)) else {
                return promise(false, "an operand is one of the words, in their order")
            }
            rest = rest[(index + 1)...]
        }
    }

    /// A length of time is the number before its unit.
    private static func duration(_ word: [UInt8]) {
        guard let text = String(validating: word, as: UTF8.self), let duration = DurationText.duration(of: text) else {
            return
        }
        let units: [Character: Int64] = [
            "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_536_000,
        ]
        let number = Int64(text.dropLast())
        let unit = text.last.flatMap { units[$0] }
        promise(number.flatMap { number in unit.map { .seconds(number * $0) } } == duration, "a length of time")
        promise(!DurationText.text(of: duration).isEmpty, "it has a text")
    }
}
