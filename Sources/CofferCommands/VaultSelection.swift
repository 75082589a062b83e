internal import Glibc

/// Which vault a command is about.
enum VaultSelection {
    /// The path of the vault: the option, else `$COFFER_VAULT`, else the default place.
    static func path(_ arguments: Arguments) throws(Failure) -> String {
        if let path = arguments.value(of: .vault) {
            guard !path.isEmpty else { throw .usage("--vault needs a path that is not empty") }
            return path
        }
        if let path = try variable("COFFER_VAULT") { return path }
        return try defaultDirectory() + "/coffer/default.coffer"
    }

    /// The directory of the default vault, or nothing when another vault was named.
    static func defaultDirectory(of arguments: Arguments) throws(Failure) -> String? {
        guard arguments.value(of: .vault) == nil, try variable("COFFER_VAULT") == nil else { return nil }
        return try defaultDirectory() + "/coffer"
    }

    /// Where an unnamed vault stands; empty and relative variables count as unset, as the XDG specification says.
    private static func defaultDirectory() throws(Failure) -> String {
        if let data = try variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data }
        if let home = try variable("HOME"), home.hasPrefix("/") { return home + "/.local/share" }
        if let home = accountHome(), home.hasPrefix("/") { return home + "/.local/share" }
        throw Failure(
            .noVault, "which vault? There is no home directory to look in", hint: "give --vault, or set COFFER_VAULT")
    }

    // A path is no secret, so it may come from the environment; a passphrase never does.
    private static func variable(_ name: String) throws(Failure) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        guard let text = unsafe String(validatingCString: value) else { throw .usage("$\(name) is not valid UTF-8") }
        return text.isEmpty ? nil : text
    }

    // The home directory of the account, for services that run without a HOME.
    private static func accountHome() -> String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        guard unsafe getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let home = unsafe entry.pw_dir
        else { return nil }
        return unsafe String(validatingCString: home)
    }
}
