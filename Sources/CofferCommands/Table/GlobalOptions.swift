extension CommandOption {
    static let vault = CommandOption(
        "vault", "PATH",
        "the vault; else $COFFER_VAULT, else $XDG_DATA_HOME/coffer/default.coffer, "
            + "else ~/.local/share/coffer/default.coffer")
    static let passphraseFD = CommandOption(
        "passphrase-fd", "N", "read the passphrase from descriptor N, up to the first newline")
    static let passphraseFile = CommandOption(
        "passphrase-file", "FILE", "the passphrase is the contents of FILE, less one trailing newline")
    static let passphraseCommand = CommandOption(
        "passphrase-command", "COMMAND", "the passphrase is what COMMAND prints, less one trailing newline")
    static let allowLargeMemory = CommandOption(
        "allow-large-memory", nil, "derive the key even if that takes over half of this machine's memory")
    static let acceptUnexpected = CommandOption(
        "accept-unexpected", nil,
        "open the vault even if it is older than, or another one than, what was last seen here; from then on it is "
            + "what is expected")
    static let noInput = CommandOption("no-input", nil, "never ask: fail and say which option to use")
    package static let json = CommandOption("json", nil, "write JSON")
    static let quiet = CommandOption("quiet", short: "q", nil, "say nothing but failures")
    static let help = CommandOption("help", short: "h", nil, "explain the command and stop")
    static let version = CommandOption("version", nil, "say which version this is and stop")

    /// What every verb takes, before the verb and after it.
    package static let global = [
        vault, passphraseFD, passphraseFile, passphraseCommand, allowLargeMemory, acceptUnexpected, noAgent,
        noInput, quiet, help, version,
    ]
}
