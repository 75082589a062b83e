/// How far back a vault's handle remembers what it saw, to notice that an old file was put back.
public struct FreshnessPolicy: Hashable, Sendable {
    let isRemembered: Bool

    /// What this handle saw since it was unlocked. Nothing is written beside the vault.
    public static let thisProcess = FreshnessPolicy(isRemembered: false)

    /// What any program of this user saw that remembers, also before a restart of the machine.
    ///
    /// It is kept in the file `coffer/freshness` in `$XDG_STATE_HOME`, or `~/.local/state`, for all vaults: their ids,
    /// generations, checks, commitments and paths. Where that file is lost or cannot be written, vaults work as before
    /// and less is noticed. Specified in the file format, *Freshness*.
    public static let remembered = FreshnessPolicy(isRemembered: true)
}
