public import Coffer
package import CofferAgent
internal import SecureMemory
internal import VaultFile

/// A vault that the user's agent has unlocked, for an app that shares this one unlock.
///
/// It reads and writes like `Vault`, but each call asks the agent: there is no copy of the settings in the app, and
/// no key. It is locked while no agent runs, and until the user has said `coffer unlock`. All calls may come from any
/// thread, and wait for the agent's answer. Other programs of the same user can ask the agent too.
public final class AgentVault: Sendable {
    /// Where the file is.
    public let location: VaultLocation
    private let place: AgentLocation?
    /// A child of a fork has its own, so that it takes no answer away from its parent.
    private let connections: PerProcess<AgentConnections>

    /// Makes a handle for a vault; nothing is connected yet.
    ///
    /// - Parameter location: where its file is. It must be the file that was unlocked, by whatever spelling of its path.
    public convenience init(at location: VaultLocation) { self.init(at: location, agent: nil) }

    /// Makes a handle for a vault that an agent holds which listens elsewhere.
    package init(at location: VaultLocation, agent place: AgentLocation?) {
        self.location = location
        self.place = place
        connections = PerProcess { AgentConnections(to: place) }
    }

    /// Whether the agent has the vault unlocked. Asking extends no deadline.
    ///
    /// - Throws: as ``lockState``.
    public var isUnlocked: Bool {
        get throws(VaultError) { try lockState != .locked }
    }

    /// What the agent holds of the vault. Asking extends no deadline.
    ///
    /// - Throws: `refused` when the agent is another user's, or of another version, and nothing was sent; `ioError` when it
    ///   gives no answer. Without an agent the vault is locked, and that is no error.
    public var lockState: LockState {
        get throws(VaultError) { try status()?.lockState ?? .locked }
    }

    /// What should be known about the vault's file, and what the agent cannot do. Asking extends no deadline.
    ///
    /// It is as of the last unlock or save through the agent, and empty while the vault is locked.
    ///
    /// - Throws: as ``lockState``.
    public var warnings: [VaultWarning] {
        get throws(VaultError) {
            guard let status = try status(), status.lockState != .locked else { return [] }
            return status.warnings
        }
    }

    /// What the agent says of the vault; nil if it does not hold it, and without an agent.
    private func status() throws(VaultError) -> AgentVaultStatus? {
        let questions = try questions()
        let place = AgentVaultStatus.Place(of: questions.path)
        do throws(VaultError) {
            switch try questions.connections.ask({ .status }) {
            case .status(let vaults): return vaults.first { place.isOf($0) }
            case .failure(let failure): throw VaultError(failure)
            default: throw .nonsense
            }
        } catch .locked {
            return nil
        }
    }

    /// Has the agent lock the vault, for all programs: whoever asks from now on is told that it is locked.
    ///
    /// Its key and its decrypted settings are zeros when this returns, unless the agent is in the middle of a read or a
    /// save of another program: then they are when that has ended.
    ///
    /// - Throws: as ``lockState``; then it may be unlocked still. Without an agent it is locked, and that is no error.
    public func lock() throws(VaultError) {
        let questions = try questions()
        do throws(VaultError) {
            switch try questions.connections.ask({ .lock(path: questions.path) }) {
            case .done: return
            case .failure(let failure): throw VaultError(failure)
            default: throw .nonsense
            }
        } catch .locked {
            return
        }
    }

    /// The agent, as it is asked for this vault.
    func questions() throws(VaultError) -> AgentQuestions {
        let path = try location.path()
        let absolute: String
        do throws(AbsolutePath.Failure) { absolute = try AbsolutePath.of(path) } catch {
            switch error {
            case .noWorkingDirectory(let errno):
                throw .ioError(step: "find the working directory", errno: errno, path: path)
            case .notText: throw .ioError(step: "find the working directory", errno: 0, path: path)
            }
        }
        return try AgentQuestions(connections.object, path: absolute)
    }

    /// The value of a setting, or nil if there is none.
    func find(_ name: String) throws(VaultError) -> AgentValue? { try questions().value(of: name).value }
}
