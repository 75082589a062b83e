/// A type that settings can have.
///
/// The library's own are `String`, `Bool`, `Int` and the integers up to 64 bits, `Double`, `Float`, ``SettingDate``,
/// ``SettingData``, arrays and dictionaries of all these, and ``StoredValue``. An enumeration with a raw value of such a
/// type only needs to name the protocol. Any other type says what it stores, and how it is made from that:
///
///     struct Server: SettingValue {
///         var host: String
///         var port: Int
///
///         static var settingTypeName: String { "dictionary of a server" }
///         var stored: StoredValue { .dictionary(["host": host.stored, "port": port.stored]) }
///
///         init?(stored: StoredValue) {
///             guard case .dictionary(let fields) = stored,
///                 let host = fields["host"].flatMap(String.init(stored:)),
///                 let port = fields["port"].flatMap(Int.init(stored:))
///             else { return nil }
///             self.host = host
///             self.port = port
///         }
///     }
///
/// A stored value that the type does not take is an error for the reader, never a silent default. Values are Swift
/// values, which nobody can wipe: what is secret belongs under a ``SecretKey``.
public protocol SettingValue: Sendable {
    /// What an error calls this type; its first word says what is stored: `dictionary of a server`.
    ///
    /// When the first word is the kind that was found, the error adds that it does not fit.
    static var settingTypeName: String { get }

    /// Makes the value from what is stored.
    ///
    /// - Parameter stored: what the vault holds.
    /// - Returns: nil when it is of another type, or does not fit without loss.
    init?(stored: StoredValue)

    /// What the vault is to hold; ``init(stored:)`` makes the same value from it.
    var stored: StoredValue { get }
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// What an error calls this type: what its raw value is, and the type's own name.
    public static var settingTypeName: String { "\(RawValue.settingTypeName) of \(Self.self)" }

    /// Makes the value from a stored raw value.
    ///
    /// - Parameter stored: what the vault holds.
    /// - Returns: nil when it is of another type, or the raw value of nothing.
    public init?(stored: StoredValue) {
        guard let rawValue = RawValue(stored: stored) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value as it is stored.
    public var stored: StoredValue { rawValue.stored }
}

extension StoredValue: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "value" }
    /// Takes a stored value of any type.
    public init?(stored: StoredValue) { self = stored }
    /// The value itself.
    public var stored: StoredValue { self }
}
