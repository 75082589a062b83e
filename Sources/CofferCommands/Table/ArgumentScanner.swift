internal import CSystem
internal import Glibc

/// Reads options and operands word by word.
///
/// Options and operands may come in any order, `--` ends the options, and a long option must be written out: an
/// abbreviation that works today would change its meaning with the next option. Mistakes name an option, and never
/// repeat its argument or an operand, which may be secrets in the wrong place.
///
/// The corresponding C function is `getopt_long`.
@safe
struct ArgumentScanner {
    private let count: Int32
    private let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// - Parameters:
    ///   - count: the number of words, with the name of the program or verb as word 0.
    ///   - words: the words; they must outlive the scanner.
    init(count: Int32, words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        self.count = count
        unsafe self.words = words
    }

    /// The scanner for the words from one on, which becomes word 0.
    func dropping(_ number: Int32) -> ArgumentScanner {
        unsafe ArgumentScanner(count: count - number, words: words + Int(number))
    }

    /// Reads options into `arguments`.
    ///
    /// - Parameters:
    ///   - options: the options to know.
    ///   - stopsAtOperand: whether to stop at the first operand; else operands are gathered too.
    /// - Returns: the index of the word after the last one read.
    func scan(
        _ options: [CommandOption], stopsAtOperand: Bool, into arguments: inout Arguments
    ) throws(Failure) -> Int32 {
        // "+" stops at the first operand, "-" hands operands over in order; ":" tells a missing argument apart.
        var shorts = stopsAtOperand ? "+:" : "-:"
        var table: [cs_option] = unsafe []
        for (index, option) in options.enumerated() {
            if let short = option.short { shorts += option.argument == nil ? "\(short)" : "\(short):" }
            let name = unsafe UnsafeRawPointer(option.name.utf8Start).assumingMemoryBound(to: CChar.self)
            unsafe table.append(
                cs_option(
                    name: name, argument: option.argument == nil ? 0 : option.argumentIsOptional ? 2 : 1,
                    code: Self.firstCode + Int32(index)))
        }
        var scan = unsafe cs_scan()
        while true {
            let code = unsafe cs_getopt(count, words, shorts, table, Int32(table.count), &scan)
            let index = unsafe scan.index
            switch code {
            case -1:
                if !stopsAtOperand {
                    for rest in index..<max(index, count) { arguments.operands.append(try text(at: rest)) }
                }
                return index
            case 1:
                arguments.operands.append(try text(at: index - 1))
            case Self.unknown:
                throw unknownOption(options, fault: unsafe scan.fault, at: index - 1)
            case Self.missing:
                let fault = unsafe scan.fault
                let option = options.enumerated().first {
                    Self.firstCode + Int32($0.offset) == fault || $0.element.short?.value == UInt32(bitPattern: fault)
                }
                throw .usage("\(option?.element.spelling ?? "an option") needs an argument")
            default:
                let isLong = code >= Self.firstCode
                let found =
                    isLong
                    ? options[Int(code - Self.firstCode)]
                    : options.first { $0.short?.value == UInt32(bitPattern: code) }
                guard let option = found else { throw .usage("unknown option") }
                if isLong { try unsafe requireFullName(option, &scan) }
                var value = ""
                if option.argument != nil, unsafe !(option.argumentIsOptional && scan.argument == nil) {
                    guard let argument = unsafe scan.argument,
                        let argument = unsafe String(validatingCString: argument)
                    else { throw .usage("the argument of \(option.spelling) is not valid UTF-8") }
                    value = argument
                }
                try arguments.record(option, value)
            }
        }
    }

    private static let firstCode: Int32 = 1000
    private static let unknown = Int32(UInt8(ascii: "?"))
    private static let missing = Int32(UInt8(ascii: ":"))

    /// One word as text.
    func text(at index: Int32) throws(Failure) -> String {
        guard let word = unsafe words[Int(index)], let text = unsafe String(validatingCString: word) else {
            throw .usage("an argument is not valid UTF-8")
        }
        return text
    }

    // getopt_long takes every unambiguous abbreviation; the word itself tells.
    private func requireFullName(_ option: CommandOption, _ scan: inout cs_scan) throws(Failure) {
        var index = unsafe Int(scan.index) - 1
        if let argument = unsafe scan.argument, let word = unsafe words[index], unsafe UnsafePointer(word) == argument {
            index -= 1
        }
        guard optionName(at: Int32(index)) == "\(option.name)" else {
            throw .usage("options cannot be abbreviated", hint: "write \(option.spelling)")
        }
    }

    // The name in `--name=value`, without the value.
    private func optionName(at index: Int32) -> String? {
        guard index >= 0, index < count, let word = unsafe words[Int(index)] else { return nil }
        let text = unsafe String(cString: word)
        guard text.hasPrefix("--") else { return nil }
        return String(text.dropFirst(2).prefix { $0 != "=" })
    }

    private func unknownOption(_ options: [CommandOption], fault: Int32, at index: Int32) -> Failure {
        let known = options.map { "\($0.name)" }
        if fault >= Self.firstCode, Int(fault - Self.firstCode) < options.count {
            return .usage("\(options[Int(fault - Self.firstCode)].spelling) takes no argument")
        }
        // A word after hyphens may be a secret that begins so: it is shown only where it is nearly an option of ours.
        let isPassphrase = fault == 0x70 || fault == 0 && optionName(at: index)?.hasPrefix("pass") == true
        guard fault == 0, let name = optionName(at: index), (1...20).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x2D }),
            let near = Suggestion.nearest(to: name, in: known)
        else {
            let origins = PassphraseOrigin.Options.current.list
            return .usage(
                "there is an unknown option",
                hint: isPassphrase
                    ? "a passphrase is never an argument: it comes by \(origins), else it is asked for"
                    : "-h lists the options")
        }
        return .usage("unknown option --\(name)", hint: "did you mean --\(near)?")
    }
}
