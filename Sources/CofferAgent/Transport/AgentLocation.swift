/// Where the agent of a user listens.
package struct AgentLocation: Hashable, Sendable {
    /// The runtime directory, which is the agent's own.
    package let directory: String

    /// A directory of the caller's choice.
    package init(directory: String) { self.directory = directory }

    /// The socket in the directory.
    package var socketPath: String { "\(directory)/agent.sock" }

    /// The file whose lock says that an agent lives.
    package var lockPath: String { "\(directory)/agent.lock" }

    /// Where the agent of this user listens: `$COFFER_RUNTIME_DIR`; else `coffer` in `$XDG_RUNTIME_DIR`, or in
    /// `/run/user/UID`, whichever is there first and belongs to this user; else `coffer-UID` in `$TMPDIR` or `/tmp`.
    ///
    /// - Throws: `foreignAgent` where the system takes no socket of so long a path, and for
    ///   a variable that is no absolute path.
    package static func ofUser() throws(AgentClientError) -> AgentLocation {
        try AgentLocation(
            user: UserEnvironment.user, variable: UserEnvironment.variable, isDirectory: Self.isOwnDirectory)
    }

    /// Chooses the directory by what the environment says.
    ///
    /// - Parameters:
    ///   - user: the number of the user.
    ///   - variable: tells variables of the environment.
    ///   - isDirectory: whether there is a directory of this user at a path.
    /// - Throws: what ``ofUser()`` does.
    package init(
        user: UInt32, variable: (String) -> String?, isDirectory: (String) -> Bool
    ) throws(AgentClientError) {
        func path(_ name: String) -> String? { variable(name).flatMap { $0.utf8.first == 0x2F ? $0 : nil } }
        let chosen = variable("COFFER_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 }
        if let chosen {
            guard chosen.utf8.first == 0x2F else {
                throw .foreignAgent(path: chosen, reason: "$COFFER_RUNTIME_DIR is no absolute path")
            }
            directory = chosen
        } else {
            let parents = [path("XDG_RUNTIME_DIR"), "/run/user/\(user)"].compactMap { $0 }
            directory =
                parents.first(where: isDirectory).map { "\($0)/coffer" }
                ?? "\(path("TMPDIR") ?? "/tmp")/coffer-\(user)"
        }
        guard isShortEnough else { throw .foreignAgent(path: socketPath, reason: Self.isTooLong) }
    }

    /// What is wrong with a longer path.
    static let isTooLong =
        "a socket's path has at most \(UserEnvironment.socketPathLimit) bytes: choose a shorter $COFFER_RUNTIME_DIR"

    /// Whether the system takes a socket of this path.
    var isShortEnough: Bool {
        socketPath.utf8.count <= UserEnvironment.socketPathLimit && !socketPath.utf8.contains(0)
    }

    /// Whether there is a directory of the effective user at a path.
    ///
    /// After `su` or `sudo` `$XDG_RUNTIME_DIR` may still name the directory of who called it.
    package static func isOwnDirectory(_ path: String) -> Bool { UserEnvironment.ownsDirectory(path) }
}
