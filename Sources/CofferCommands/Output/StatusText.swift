internal import Coffer
internal import CofferAgent

/// What `status` says.
enum StatusText {
    /// For a person.
    ///
    /// - Parameters:
    ///   - path: of the vault.
    ///   - status: what the agent says.
    ///   - memory: how the agent's memory is protected.
    ///   - socket: where the agent listens.
    static func text(_ path: String, _ status: AgentStatus, _ memory: AgentMemory, socket: String) -> String {
        var rows = [("vault", Escaping.name(path)), ("state", state(status.vault))]
        if let vault = status.vault { rows.append(("locks", locks(vault))) }
        let isLocked = status.vault?.isMemoryLocked ?? memory.isLocked
        rows.append(("memory", isLocked ? Self.isLocked : "not locked, may reach swap space"))
        rows.append(("agent", Escaping.name(socket)))
        for other in status.others {
            rows.append(("also", "\(Escaping.name(other.path)): \(state(other)), locks \(locks(other))"))
        }
        return rows.map { "\($0)" + String(repeating: " ", count: 8 - $0.count) + "\($1)\n" }.joined()
    }

    // Hibernation writes all memory to the disk.
    private static let isLocked = "locked, kept out of swap space unless the machine hibernates"

    /// For programs. The keys are stable, and all of them are always there.
    static func json(_ path: String, _ status: AgentStatus, _ memory: AgentMemory, socket: String) -> String {
        json(path, status, memory, isKnown: true, socket: socket)
    }

    /// For programs, where no agent has answered.
    ///
    /// - Parameters:
    ///   - path: of the vault.
    ///   - isKnown: whether there is none, so that the vault is locked; else it is not known what it is.
    ///   - socket: where the agent would listen.
    static func json(withoutAnswer path: String, isKnown: Bool, _ socket: String) -> String {
        json(path, nil, nil, isKnown: isKnown, socket: socket)
    }

    private static func json(
        _ path: String, _ status: AgentStatus?, _ memory: AgentMemory?, isKnown: Bool, socket: String
    ) -> String {
        var members: [(String, JSONText)] = [("path", .string(path))]
        members.append(("state", isKnown ? .string(stateWord(status?.vault)) : .null))
        members += details(status?.vault)
        members.append(
            (
                "agent",
                .object([
                    ("running", isKnown ? .boolean(status != nil) : .null), ("socket", .string(socket)),
                    ("memoryLocked", memory.map { .boolean($0.isLocked) } ?? .null),
                    ("memoryWipedOnFork", memory.map { .boolean($0.isWipedOnFork) } ?? .null),
                    ("bindsLazily", memory.map { .boolean($0.bindsLazily) } ?? .null),
                ])
            ))
        let others = (status?.others ?? []).map { other in
            JSONText.object(
                [("path", .string(other.path)), ("state", .string(stateWord(other)))] + details(other))
        }
        members.append(("others", .array(others)))
        return JSONText.object(members).text
    }

    private static func details(_ vault: AgentVaultStatus?) -> [(String, JSONText)] {
        [
            ("idleSecondsLeft", seconds(vault?.idleLeft)),
            ("maximumSecondsLeft", seconds(vault?.maximumLeft)),
            ("memoryLocked", vault.map { .boolean($0.isMemoryLocked) } ?? .null),
            ("warnings", .array((vault?.warnings ?? []).map { .string(code(of: $0)) })),
        ]
    }

    private static func seconds(_ left: Duration?) -> JSONText {
        left.map { .integer(UInt64(max(0, DurationText.secondsRoundedUp($0)))) } ?? .null
    }

    private static func state(_ vault: AgentVaultStatus?) -> String {
        switch vault?.lockState {
        case .unlocked: "unlocked"
        case .unlockedWithoutCopy: "unlocked; the settings are read anew at the next use"
        case .locked, nil: "locked"
        }
    }

    private static func stateWord(_ vault: AgentVaultStatus?) -> String {
        switch vault?.lockState {
        case .unlocked: "unlocked"
        case .unlockedWithoutCopy: "unlockedWithoutCopy"
        case .locked, nil: "locked"
        }
    }

    private static func locks(_ vault: AgentVaultStatus) -> String {
        switch (vault.idleLeft, vault.maximumLeft) {
        case (nil, nil): "when it is told to"
        case (let idle?, nil): "in \(DurationText.text(of: idle)) without use"
        case (nil, let maximum?): "in \(DurationText.text(of: maximum))"
        case (let idle?, let maximum?):
            idle < maximum
                ? "in \(DurationText.text(of: idle)) without use, in \(DurationText.text(of: maximum)) at the latest"
                : "in \(DurationText.text(of: maximum))"
        }
    }

    private static func code(of warning: VaultWarning) -> String {
        switch warning {
        case .weakKeyDerivation: "weakKeyDerivation"
        case .readableByOthers: "readableByOthers"
        case .groupNotKept: "groupNotKept"
        case .syncedEverything: "syncedEverything"
        case .triggerUnavailable: "triggerUnavailable"
        case .timerUnavailable: "timerUnavailable"
        case .fileNotWatched: "fileNotWatched"
        case .freshnessNotRemembered: "freshnessNotRemembered"
        }
    }
}
