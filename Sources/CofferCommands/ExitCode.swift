/// The statuses that the program ends with: a stable interface, specified in the file format.
///
/// A caller must take a number that it does not know as a failure.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case unexpected = 1
    case usage = 2
    case notAVault = 3
    case unsupported = 4
    case damaged = 5
    case limitExceeded = 6
    case notEnoughMemory = 7
    case wrongPassphrase = 8
    case tampered = 9
    case invalidContents = 10
    case notFresh = 11
    case noMatchingSlot = 12
    case conflict = 13
    case locked = 14
    case ioError = 15
    case notFound = 16
    case refused = 17
    case agentUnavailable = 18
    case noVault = 19
    case runFailed = 125
    case runNotExecutable = 126
    case runNotFound = 127

    /// The failure classes that share the status.
    package var classes: [String] {
        switch self {
        case .success: ["success"]
        case .unexpected: ["unexpected"]
        case .usage: ["usage"]
        case .notAVault: ["notAVault"]
        case .unsupported: ["unsupportedVersion", "unsupportedFeature"]
        case .damaged: ["damaged"]
        case .limitExceeded: ["limitExceeded"]
        case .notEnoughMemory: ["notEnoughMemory"]
        case .wrongPassphrase: ["wrongPassphrase"]
        case .tampered: ["tampered"]
        case .invalidContents: ["invalidContents"]
        case .notFresh: ["rolledBack", "forked", "replaced", "rekeyed"]
        case .noMatchingSlot: ["noMatchingSlot"]
        case .conflict: ["conflict"]
        case .locked: ["locked"]
        case .ioError: ["ioError", "savedButNotSynced", "outcomeUnknown"]
        case .notFound: ["notFound"]
        case .refused: ["refused"]
        case .agentUnavailable: ["agentUnavailable"]
        case .noVault: ["noVault"]
        case .runFailed: ["runFailed"]
        case .runNotExecutable: ["runNotExecutable"]
        case .runNotFound: ["runNotFound"]
        }
    }

    /// What the status tells a person, in one line.
    package var meaning: String {
        switch self {
        case .success: "all was done, and all output was written"
        case .unexpected: "a failure that no other status describes"
        case .usage: "the command line was wrong; nothing was done"
        case .notAVault: "the file is no vault: probably the wrong file"
        case .unsupported: "the file is of a version, or has a feature, that this program does not know"
        case .damaged: "bytes changed or went missing: restore a copy; no passphrase was tried"
        case .limitExceeded: "a size or cost is outside its limits; the message names the field, value and limit"
        case .notEnoughMemory:
            "there was not enough memory, for example to derive the key; says nothing of the passphrase"
        case .wrongPassphrase: "wrong passphrase, or the header was edited, or another holder changed the passphrase"
        case .tampered: "right passphrase, but the file was edited after its last save"
        case .invalidContents: "a holder of the key wrote what this program refuses"
        case .notFresh:
            "the file is older than what was last seen here, or a save apart from it, or another vault: "
                + "--accept-unexpected takes it; rekeyed is reserved: not in this version"
        case .noMatchingSlot: "reserved: not in this version (the recovery code opens no slot)"
        case .conflict: "the key of the vault changed meanwhile: nothing was overwritten"
        case .locked: "the vault is locked, or there was no way to ask for the passphrase or the value"
        case .ioError:
            "reading or writing failed; the message names the step, and says so if a change is made all the same, or may be"
        case .notFound: "there is no such setting"
        case .refused: "a rule said no: weak passphrase, empty value, binary to a terminal, existing file or setting"
        case .agentUnavailable:
            "there is no agent of this user, or it cannot be used; without one no vault stays unlocked"
        case .noVault: "there is no vault at this path"
        case .runFailed: "reserved: not in this version (run: coffer itself failed)"
        case .runNotExecutable: "reserved: not in this version (run: the command could not be executed)"
        case .runNotFound: "reserved: not in this version (run: the command was not found)"
        }
    }
}
