internal import Coffer
internal import Glibc

/// Which vault a command is about.
enum VaultSelection {
    /// Where the vault is: at the option's path, else at that of `$COFFER_VAULT`, else in the user's data.
    static func location(_ arguments: Arguments) throws(Failure) -> VaultLocation {
        if let path = arguments.value(of: .vault) {
            guard !path.isEmpty else { throw .usage("--vault needs a path that is not empty") }
            return .file(path)
        }
        if let path = try variable("COFFER_VAULT") { return .file(path) }
        return .userData("coffer")
    }

    /// The path of the vault.
    static func path(_ arguments: Arguments) throws(Failure) -> String {
        let location = try location(arguments)
        do throws(VaultError) { return try location.path() } catch {
            throw Failure(
                .noVault, "which vault? There is no home directory to look in",
                hint: "give --vault, or set COFFER_VAULT")
        }
    }

    // A path is no secret, so it may come from the environment; a passphrase never does.
    private static func variable(_ name: String) throws(Failure) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        guard let text = unsafe String(validatingCString: value) else { throw .usage("$\(name) is not valid UTF-8") }
        return text.isEmpty ? nil : text
    }
}
