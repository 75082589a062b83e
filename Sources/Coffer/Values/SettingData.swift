/// Bytes that are no secret, such as a public key or a cookie that only remembers a window's place.
///
/// Like every Swift value they cannot be wiped: use ``SecretKey`` and ``Secret`` for what is secret.
public struct SettingData: Hashable, Sendable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Takes bytes.
    ///
    /// - Parameter bytes: any bytes, none included; a vault holds up to 64 MiB in all.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}
