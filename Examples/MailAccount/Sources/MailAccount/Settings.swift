import Coffer

// All settings of the app, each declared once. What is no secret has a type and a default.

extension SettingKey<String> {
    static let username = SettingKey("mail/username", default: "anonymous")
    static let server = SettingKey("mail/server", default: "mail.example.com")
}

extension SettingKey<Int> {
    static let port = SettingKey("mail/port", default: 993)
    static let signIns = SettingKey("mail/sign-ins", default: 0)
}

extension SettingKey<Encryption> {
    static let encryption = SettingKey("mail/encryption", default: .tls)
}

extension SecretKey {
    static let password = SecretKey("mail/password")
}

/// How the app talks to its server; stored as the name of the case.
enum Encryption: String, SettingValue {
    case startTLS, tls
}
