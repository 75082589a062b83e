import Foundation

extension VectorFile {
    /// Reads a vector file.
    ///
    /// - Parameters:
    ///   - file: all its bytes.
    ///   - name: how to call it in an error.
    package init(_ file: [UInt8], named name: String) throws(Malformed) {
        var reading = Reading(file: file, name: name)
        try reading.readHeader()
        guard let expectation = reading.expectation else {
            throw Malformed(file: name, line: reading.line, reason: "expect is missing")
        }
        self.init(name: name, expectation: expectation, body: Array(file[reading.offset...]), words: reading.words)
        for word in VectorWord.allCases {
            switch (need(of: word), has(word)) {
            case (.required, false):
                throw Malformed(file: name, line: reading.line, reason: "\(word.rawValue) is missing")
            case (.forbidden, true):
                throw Malformed(
                    file: name, line: reading.lines[word] ?? 0,
                    reason: "\(word.rawValue) does not belong to \(expectation)")
            default: break
            }
        }
        guard [.passphrase, .passphraseHex, .recoveryCode].filter({ has($0) }).count == 1 else {
            throw Malformed(file: name, line: reading.line, reason: "one passphrase or one recovery code is needed")
        }
    }

    private struct Reading {
        let file: [UInt8]
        let name: String
        var offset = 0
        var line = 0
        var words: [VectorWord: [Value]] = [:]
        var lines: [VectorWord: Int] = [:]
        var expectation: VectorExpectation?
        private var last = -1

        init(file: [UInt8], name: String) { (self.file, self.name) = (file, name) }

        private func malformed(_ reason: String) -> Malformed { Malformed(file: name, line: line, reason: reason) }

        mutating func readHeader() throws(Malformed) {
            let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
            let own = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
            guard !own.isEmpty, own.utf8.allSatisfy(letters.contains) else {
                throw malformed("the name is not allowed")
            }
            repeat { line += 1 } while try readLine()
        }

        /// Reads a line; false is the empty one, after which the vault begins.
        private mutating func readLine() throws(Malformed) -> Bool {
            guard let end = file[offset...].firstIndex(of: 0x0A) else {
                throw malformed("no empty line ends the header")
            }
            let bytes = Array(file[offset..<end])
            offset = end + 1
            if bytes.isEmpty { return false }
            guard String(validating: bytes, as: UTF8.self) != nil else { throw malformed("this is no UTF-8") }
            // By bytes: a mark that follows the separator joins with its space in Swift's eyes.
            guard let separator = bytes.indices.first(where: { bytes[$0...].starts(with: [0x3A, 0x20]) }),
                bytes.count > separator + 2
            else { throw malformed("this is not word, colon, space and value") }
            let spelled = String(decoding: bytes[..<separator], as: UTF8.self)
            guard let word = VectorWord(rawValue: spelled) else { throw malformed("the word \(spelled) is unknown") }
            try place(word)
            let value = String(decoding: bytes[(separator + 2)...], as: UTF8.self)
            words[word, default: []].append(try read(value, of: word))
            lines[word] = line
            return true
        }

        /// Sees to the order of the words.
        private mutating func place(_ word: VectorWord) throws(Malformed) {
            let place = VectorWord.allCases.firstIndex(of: word) ?? 0
            if place == last && !word.mayRepeat { throw malformed("\(word.rawValue) is there twice") }
            guard place >= last else { throw malformed("\(word.rawValue) is out of order or there twice") }
            last = place
        }

        private mutating func read(_ text: String, of word: VectorWord) throws(Malformed) -> Value {
            switch word.form {
            case .text:
                if word == .expect {
                    guard let known = VectorExpectation(rawValue: text) else {
                        throw malformed("\(text) is no failure class")
                    }
                    expectation = known
                }
                if word == .passphrase, !Self.isPlain(text) { throw malformed("this passphrase has to be in hex") }
                return .text(text)
            case .decimal:
                guard let number = UInt64(text), String(number) == text else { throw malformed("this is no number") }
                return .number(number)
            case .hex(let count):
                if word == .passphraseHex, text == "none" { return .bytes([]) }
                guard let bytes = [UInt8](hex: text), bytes.hex == text else { throw malformed("this is no hex") }
                if let count, bytes.count != count { throw malformed("\(word.rawValue) has \(count) bytes") }
                return .bytes(bytes)
            case .json:
                guard let value = PlainValue(json: Array(text.utf8)) else { throw malformed("this is no list in JSON") }
                return .list(value)
            }
        }

        /// Whether a passphrase can be read and copied by a person without a mistake.
        private static func isPlain(_ text: String) -> Bool {
            let isShown = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            let composed = text.precomposedStringWithCanonicalMapping
            return isShown && !text.hasPrefix(" ") && !text.hasSuffix(" ") && Array(composed.utf8) == Array(text.utf8)
        }
    }
}
