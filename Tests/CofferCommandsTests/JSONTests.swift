import CofferCommands
import Foundation
import PropertyLists
import SecureMemory
import Testing

@Suite struct JSONTests {
    @discardableResult
    private func list(_ text: String, depth: Int = 31) throws -> GuardedBuffer {
        let source = try GuardedBuffer(text: text)
        return try JSONReader.propertyList(of: source.bytes, maximumDepth: depth)
    }

    private func json(_ list: borrowing GuardedBuffer) throws -> String {
        var arena = try GuardedArena()
        try JSONWriter.append(0, of: PropertyListReader(trusted: list.bytes), indent: 0, to: &arena)
        return arena.bytes.text
    }

    @Test(
        "values that are written as they were read",
        arguments: [
            "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.0", "-0.0", "1e+300", "0.1",
            "5e-324", "\"\"", "\"text\"", "\"Zürich 😀\"", "\"\\u202E\\u0000\\u007F\\n\\t\\r\\\"\\\\\"", "[]", "{}",
            "{\"$data\": \"AAEC\"}", "{\"$data\": \"\"}", "{\"$date\": \"2024-02-29T01:02:03.25Z\"}",
            "{\"$date\": 1e+300}", "{\"$date\": -0.0}",
            "{\"$real\": \"nan\"}", "{\"$real\": \"-inf\"}", "{\"$$data\": \"AAEC\"}", "{\"$$\": 1}", "{\"$$$x\": 1}",
            "[\n  1,\n  [\n    \"a\"\n  ]\n]", "{\n  \"$a\": 1,\n  \"b\": {}\n}",
            "{\n  \"\": 1,\n  \"ä\": [],\n  \"😀\": 2\n}",
        ])
    func same(text: String) throws {
        var expected = text
        if text.hasPrefix("{\"$$") {
            expected = text.replacingOccurrences(of: "{", with: "{\n  ").replacingOccurrences(of: "}", with: "\n}")
        }
        #expect(try json(try list(text)) == expected)
    }

    @Test("the list is the canonical one", arguments: ["[1, {\"b\": 2, \"a\": [true]}]", "\"x\"", "{\"$date\":0}"])
    func canonical(text: String) throws {
        let list = try list(text)
        try CanonicalCheck.check(list.bytes, maximumDepth: 32, requireDictionary: false, names: .any)
    }

    @Test(
        "escapes",
        arguments: [("\"\\u0041\\/\\b\\f\"", "A/\u{08}\u{0C}"), ("\"\\ud83d\\uDE00\"", "😀"), (" \"a\"\n", "a")])
    func escapes(text: String, value: String) throws {
        let list = try list(text)
        let read =
            unsafe try PropertyListSerialization.propertyList(
                from: Data((0..<list.count).map { list.bytes[$0] }), format: nil) as? String
        #expect(read == value)
    }

    @Test(
        "what is refused",
        arguments: [
            ("", JSONError.Code.syntax), ("nul", .syntax), ("null", .null), ("[null]", .null), ("01", .syntax),
            ("-", .syntax),
            ("1.", .syntax), (".5", .syntax), ("1e", .syntax), ("+1", .syntax), ("NaN", .syntax), ("Infinity", .syntax),
            ("[1,]", .syntax), ("[1 2]", .syntax), ("{\"a\":1,}", .syntax), ("{a:1}", .syntax), ("{\"a\" 1}", .syntax),
            ("'a'", .syntax), ("\"a", .syntax), ("\"\t\"", .syntax), ("\"\\x\"", .syntax), ("\"\\u12\"", .syntax),
            ("\"\\ud800\"", .syntax), ("\"\\udc00\\ud800\"", .syntax), ("\"\\ud800\\u0041\"", .syntax),
            ("1 1", .syntax),
            ("[", .syntax), ("[1", .syntax), ("{\"a\":1", .syntax), ("{\"a\":", .syntax), ("\u{FEFF}1", .syntax),
            ("/**/1", .syntax),
            ("9223372036854775808", .integerTooLarge), ("-9223372036854775809", .integerTooLarge),
            ("1e999", .realTooLarge),
            ("{\"a\":1,\"a\":2}", .duplicateKey), ("{\"a\":1,\"\\u0061\":2}", .duplicateKey),
            ("[{\"b\":{\"x\":1,\"x\":1}}]", .duplicateKey),
            ("{\"$foo\": 1}", .badMarker), ("{\"$data\": \"A\"}", .badMarkerValue),
            ("{\"$date\": \"now\"}", .badMarkerValue), ("{\"$date\": true}", .badMarkerValue),
            ("{\"$date\": []}", .badMarkerValue), ("{\"$real\": \"x\"}", .badMarkerValue),
            ("{\"$real\": 1}", .badMarkerValue), ("{\"$data\": 1}", .badMarkerValue),
            ("{\"$data\": }", .badMarkerValue),
            ("{\"\u{E9}\": 1, \"e\u{301}\": 2}", .duplicateKey), ("{\"\\u00e9\": 1, \"e\\u0301\": 2}", .duplicateKey),
        ])
    func refused(text: String, code: JSONError.Code) throws {
        #expect { try self.list(text) } throws: { ($0 as? JSONError)?.code == code }
    }

    @Test("text that is not UTF-8 is refused")
    func notUTF8() throws {
        var source = try GuardedBuffer(text: "\"a??b\"")
        source.store(0xC3, at: 2)
        source.store(0x28, at: 3)
        let bytes = source
        #expect { _ = try JSONReader.propertyList(of: bytes.bytes, maximumDepth: 31) } throws: {
            ($0 as? JSONError)?.code == .notUTF8
        }
    }

    @Test("depth is bounded on both sides of the limit")
    func depth() throws {
        let nested: (Int) -> String = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        _ = try list(nested(31))
        #expect { try self.list(nested(32)) } throws: { ($0 as? JSONError)?.code == .tooDeep }
        #expect { try self.list(nested(100_000)) } throws: { ($0 as? JSONError)?.code == .tooDeep }
        let objects = String(repeating: "{\"$$a\":", count: 31) + "1" + String(repeating: "}", count: 31)
        _ = try list(objects)
    }

    @Test("what stands for a type is no container, however deep it stands")
    func leafDepth() throws {
        let nested: (String, Int) -> String = {
            String(repeating: "[", count: $1) + $0 + String(repeating: "]", count: $1)
        }
        for leaf in ["{\"$data\": \"AAEC\"}", "{\"$date\": 0}", "{ \"$real\" : \"nan\" }"] {
            let text = try json(try list(nested(leaf, 31)))
            #expect(try json(try list(text)) == text)
            let bytes = try GuardedBuffer(text: nested(leaf, 31))
            var depth = JSONDepth(maximum: 31)
            try depth.check(bytes.bytes)
            #expect { try self.list(nested(leaf, 32)) } throws: { ($0 as? JSONError)?.code == .tooDeep }
        }
        for container in ["{}", "{\"a\": 1}", "{\"$a\": 1, \"b\": 1}", "{\"$$a\": 1}", "[]"] {
            #expect(throws: JSONError(.tooDeep, at: 31)) { try self.list(nested(container, 31)) }
        }
    }

    @Test("a brace may be one deeper than a container, and no other bracket")
    func leafDepthInPieces() throws {
        for (text, offset) in [("[{[", 2), ("[{{", 2), ("[[", 1), ("[{},[", 4)] {
            let bytes = try GuardedBuffer(text: text)
            var depth = JSONDepth(maximum: 1)
            #expect(throws: JSONError(.tooDeep, at: offset)) { try depth.check(bytes.bytes) }
        }
    }

    @Test("keys are written in composed form, values as they are", arguments: ["e\u{301}", "e\\u0301", "\u{E9}"])
    func composition(spelling: String) throws {
        let text = try json(try list("[{\"\(spelling)\": \"\(spelling)\"}]"))
        let value = spelling.utf8.count == 2 ? "\u{E9}" : "e\u{301}"
        #expect(Array(text.utf8) == Array("[\n  {\n    \"\u{E9}\": \"\(value)\"\n  }\n]".utf8))
    }

    @Test("depth is seen as the text comes in, and only that of brackets outside strings")
    func depthInPieces() throws {
        let text = "[{\"a[[\\\"[\": [1, \"]\"]}, [["
        let bytes = try GuardedBuffer(text: text)
        for size in 1...bytes.count {
            var depth = JSONDepth(maximum: 3)
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + size, bytes.count)
                try depth.check(bytes.bytes.extracting(offset..<end))
                offset = end
            }
            let one = try GuardedBuffer(text: "[")
            #expect(throws: JSONError(.tooDeep, at: bytes.count)) { try depth.check(one.bytes) }
        }
    }

    @Test("every prefix of a text is refused, and none of them traps")
    func prefixes() throws {
        let text =
            "{\"a\": [1, -2.5e3, \"\\u00e4\\ud83d\\ude00\", {\"$data\": \"AAEC\"}, true], \"$b\": {\"$date\": 1}}"
        for count in 0..<text.utf8.count {
            let prefix = String(decoding: Array(text.utf8)[..<count], as: UTF8.self)
            #expect(throws: JSONError.self) { try self.list(prefix) }
        }
        _ = try list(text)
    }

    @Test("changed texts are read or refused, and what is read is canonical")
    func mutations() throws {
        let seeds = [
            "{\"a\": [1, -2.5e3, \"\\u00e4\\ud83d\\ude00\", {\"$data\": \"AAEC\"}, true], \"$b\": {\"$date\": 1}}",
            "[{\"$$x\": [[], {}]}, {\"$real\": \"-inf\"}, 9223372036854775807, {\"$date\": \"2024-02-29T00:00:00Z\"}]",
        ]
        let pieces: [UInt8] = Array("{}[]\",:\\$u0e-.tfn 9\u{1}\u{7F}".utf8) + [0x80, 0xC3, 0xFF]
        var state: UInt64 = 42
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var accepted = 0
        for round in 0..<4000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0...next(3) {
                let place = next(bytes.count)
                switch next(3) {
                case 0: bytes[place] = pieces[next(pieces.count)]
                case 1: bytes.insert(pieces[next(pieces.count)], at: place)
                default: bytes.remove(at: place)
                }
            }
            var source = try GuardedBuffer(count: bytes.count)
            for (offset, byte) in bytes.enumerated() { source.store(byte, at: offset) }
            do {
                let list = try JSONReader.propertyList(of: source.bytes, maximumDepth: 31)
                try CanonicalCheck.check(list.bytes, maximumDepth: 31, requireDictionary: false, names: .any)
                // What is written from it means the same again.
                let text = try json(list)
                #expect(try json(try self.list(text)) == text)
                accepted += 1
            } catch is JSONError {}
        }
        #expect(accepted > 100)
    }
}
