import Coffer
import PropertyLists
import SecureMemory
import TestSupport
import Testing

/// What types settings have, and what is read as what.
@Suite struct ValueTypeTests {
    /// Stores a value, in a vault that is then opened by another handle.
    private static func vault(_ name: String, _ value: StoredValue) throws -> Vault {
        let place = try TemporaryVault()
        try place.unlocked().update { draft in draft.set(StoredValue.key(name), to: value) }
        return try place.unlocked()
    }

    private static func expectRoundTrip<Value: SettingValue & Equatable>(_ values: Value...) throws {
        let place = try TemporaryVault()
        let keys = values.indices.map { SettingKey<Value?>("value \($0)") }
        try place.unlocked().update { (draft: inout Draft) throws in
            for (key, value) in zip(keys, values) {
                draft.set(key, to: value)
                let read = try draft.get(key)
                #expect(read == value)
            }
        }
        let vault = try place.unlocked()
        for (key, value) in zip(keys, values) { #expect(try vault[key] == value) }
    }

    @Test("every type comes back as it was, in the draft and in another handle")
    func roundTrips() throws {
        try Self.expectRoundTrip("", "a", "e\u{301}", "\u{1F511}\0")
        try Self.expectRoundTrip(true, false)
        try Self.expectRoundTrip(Int.min, -1, 0, 255, 256, .max)
        try Self.expectRoundTrip(Int8.min, 0, .max)
        try Self.expectRoundTrip(Int16.min, 0, .max)
        try Self.expectRoundTrip(Int32.min, 0, .max)
        try Self.expectRoundTrip(Int64.min, 0, .max)
        try Self.expectRoundTrip(UInt8.min, .max)
        try Self.expectRoundTrip(UInt16.min, .max)
        try Self.expectRoundTrip(UInt32.min, .max)
        try Self.expectRoundTrip(0.1, .infinity, -.infinity, .leastNonzeroMagnitude)
        try Self.expectRoundTrip(Float(0.1), .infinity, -.infinity, .leastNonzeroMagnitude)
        try Self.expectRoundTrip(try #require(SettingDate(secondsSince2001: -0.25)))
        try Self.expectRoundTrip(SettingData([]), SettingData([0, 255]))
        try Self.expectRoundTrip([Int](), [3, 1, 2])
        try Self.expectRoundTrip([[["a"], []], []])
        try Self.expectRoundTrip([String: Bool](), ["": true, "\u{E9}": false])
        try Self.expectRoundTrip(Theme.light, .dark)
        try Self.expectRoundTrip(Level.low, .high)
        try Self.expectRoundTrip(Server(host: "a.example", port: 993))
        try Self.expectRoundTrip(["work": [Server(host: "a.example", port: 993)]])
        try Self.expectRoundTrip(StoredValue.array(StoredValue.samples))
    }

    @Test("minus zero and not a number are stored by their bits")
    func bits() throws {
        let place = try TemporaryVault()
        let date = try #require(SettingDate(secondsSince2001: -0.0))
        try place.unlocked().update { draft in
            draft.set(SettingKey("zero", default: 1.0), to: -0.0)
            draft.set(SettingKey("nan", default: Float(1)), to: -.signalingNaN)
            draft.set(SettingKey("date", default: date), to: date)
        }
        let vault = try place.unlocked()
        #expect(try vault.value("zero", default: 1.0).sign == .minus)
        #expect(try vault.value("zero", default: Float(1)).sign == .minus)
        #expect(try vault.value("nan", default: 1.0).bitPattern == 0x7FF8_0000_0000_0000)
        #expect(try vault.value("nan", default: Float(1)).isNaN)
        #expect(try vault.value("date", default: date).secondsSince2001.sign == .minus)
    }

    @Test("a date is a finite number of seconds, and counts from 2001 or 1970")
    func dates() throws {
        for seconds in [Double.nan, .infinity, -.infinity] {
            #expect(SettingDate(secondsSince2001: seconds) == nil)
            #expect(SettingDate(secondsSince1970: seconds) == nil)
        }
        let date = try #require(SettingDate(secondsSince1970: 1_000_000_000))
        #expect(date.secondsSince2001 == 21_692_800)
        #expect(date.secondsSince1970 == 1_000_000_000)
        let (zero, minusZero) = (SettingDate(secondsSince2001: 0), SettingDate(secondsSince2001: -0.0))
        #expect(zero == minusZero)
        #expect(Set([zero, minusZero]).count == 1)
        #expect(try #require(zero) < date)
        let most = SettingDate(secondsSince1970: .greatestFiniteMagnitude)
        #expect(most?.secondsSince1970.isFinite == true)
    }

    @Test("each type is read from its own kind alone, but for whole numbers as reals")
    func kinds() throws {
        let place = try TemporaryVault()
        try place.unlocked().update { draft in
            for (index, value) in StoredValue.samples.enumerated() { draft.set(StoredValue.key("\(index)"), to: value) }
        }
        let vault = try place.unlocked()
        let date = try #require(SettingDate(secondsSince2001: 0))
        let readers: [(name: String, read: (String) throws -> Void)] = [
            ("boolean", { _ = try vault.value($0, default: false) }),
            ("integer", { _ = try vault.value($0, default: 0) }),
            ("integer", { _ = try vault.value($0, default: UInt8(0)) }),
            ("real", { _ = try vault.value($0, default: 0.0) }),
            ("real", { _ = try vault.value($0, default: Float(0)) }),
            ("string", { _ = try vault.value($0, default: "") }),
            ("date", { _ = try vault.value($0, default: date) }),
            ("data", { _ = try vault.value($0, default: SettingData([])) }),
            ("array of integer", { _ = try vault.value($0, default: [0]) }),
            ("dictionary of integer", { _ = try vault.value($0, default: ["": 0]) }),
        ]
        let kinds = ["boolean", "integer", "real", "string", "date", "data", "array", "dictionary"]
        for (expected, read) in readers {
            for (index, found) in kinds.enumerated() {
                if expected.hasPrefix(found) || (expected == "real" && found == "integer") {
                    #expect(throws: Never.self, "\(found) as \(expected)") { try read("\(index)") }
                } else {
                    let error = VaultError.typeMismatch(name: "\(index)", expected: expected, found: found)
                    #expect(throws: error) { try read("\(index)") }
                }
            }
        }
        // A sum of numbers is not what a boolean is made of, nor text that looks like one.
        #expect(try vault[StoredValue.key("0")] == .boolean(true))
    }

    @Test("a number that does not fit is an error, and the error does not say it")
    func misfits() throws {
        let place = try TemporaryVault()
        try place.unlocked().update { draft in
            for value in [-1, 256, 65_536, 1 << 32, 1 << 53 + 1, 1 << 24 + 1] {
                draft.set(SettingKey("\(value)", default: 0), to: value)
            }
            draft.set(SettingKey("tenth", default: 0.0), to: 0.1)
            draft.set(SettingKey("half", default: 0.0), to: 0.5)
            draft.set(SettingKey("large", default: 0.0), to: 1e300)
        }
        let vault = try place.unlocked()
        func expectMisfit<Value: SettingValue>(
            _ name: String, _ fallback: Value, _ found: String = "integer that does not fit"
        ) {
            let error = VaultError.typeMismatch(name: name, expected: Value.settingTypeName, found: found)
            #expect(throws: error) { _ = try vault.value(name, default: fallback) }
        }
        expectMisfit("-1", UInt8(0))
        expectMisfit("-1", UInt16(0))
        expectMisfit("-1", UInt32(0))
        expectMisfit("256", UInt8(0))
        expectMisfit("256", Int8(0))
        expectMisfit("65536", UInt16(0))
        expectMisfit("65536", Int16(0))
        expectMisfit("4294967296", UInt32(0))
        expectMisfit("4294967296", Int32(0))
        expectMisfit("9007199254740993", 0.0)
        expectMisfit("16777217", Float(0))
        expectMisfit("tenth", Float(0), "real that does not fit")
        expectMisfit("large", Float(0), "real that does not fit")
        expectMisfit("half", 0, "real")
        #expect(try vault.value("half", default: Float(0)) == 0.5)
        #expect(try vault.value("4294967296", default: Float(0)) == 4_294_967_296)
        #expect(try vault.value("16777217", default: 0.0) == 16_777_217)
    }

    @Test("what an enumeration, an app's type or a container does not take is an error")
    func refusals() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { draft in
            draft.set(SettingKey("theme", default: ""), to: "sepia")
            draft.set(StoredValue.key("level"), to: .integer(3))
            draft.set(StoredValue.key("ports"), to: .array([.integer(25), .string("smtp")]))
            draft.set(StoredValue.key("servers"), to: .array([.dictionary(["host": .string("a.example")])]))
            draft.set(StoredValue.key("server"), to: .dictionary(["host": .string("a.example")]))
        }
        func error(_ name: String, _ expected: String, _ found: String) -> VaultError {
            .typeMismatch(name: name, expected: expected, found: found)
        }
        #expect(throws: error("theme", "string of Theme", "string that does not fit")) { try vault[.theme] }
        #expect(throws: error("level", "integer of Level", "integer that does not fit")) {
            try vault.value("level", default: Level.low)
        }
        #expect(throws: error("ports", "array of integer", "array that does not fit")) { try vault[.ports] }
        #expect(throws: error("servers", "array of dictionary of a server", "array that does not fit")) {
            try vault[.servers]
        }
        #expect(throws: error("server", "dictionary of a server", "dictionary that does not fit")) {
            try vault.value("server", default: Server(host: "", port: 0))
        }
    }

    @Test("an optional key is nil while it is absent, and nil removes")
    func optionals() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        #expect(try vault[.nickname] == nil)
        #expect(try vault[.nickname, default: "ann"] == "ann")
        try vault.update { (draft: inout Draft) throws in
            draft.set(.nickname, to: "")
            let (read, isSet) = (try draft[.nickname], try draft.isSet(.nickname))
            #expect(read == "" && isSet)
        }
        #expect(try vault[.nickname] == "")
        #expect(try vault[.nickname, default: "ann"] == "")
        try vault.update { (draft: inout Draft) throws in
            draft.set(.nickname, to: nil)
            let (read, isSet) = (try draft[.nickname], try draft.isSet(.nickname))
            #expect(read == nil && !isSet)
            let fallback = try draft[.nickname, default: "bob"]
            #expect(fallback == "bob")
        }
        #expect(try place.unlocked()[.nickname] == nil)
        #expect(try place.unlocked().names() == [])
        try vault.update { draft in draft.set(SettingKey("nickname", default: 0), to: 1) }
        #expect(throws: VaultError.typeMismatch(name: "nickname", expected: "string", found: "integer")) {
            try vault[.nickname]
        }
    }
}
