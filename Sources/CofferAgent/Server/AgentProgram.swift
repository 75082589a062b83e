package import SecureMemory

/// The program that `coffer agent run` is.
package enum AgentProgram {
    /// How the program runs.
    package struct Options: Sendable {
        /// Where it listens.
        package var location: AgentLocation
        /// A descriptor that is told when the agent listens, and is then closed.
        package var readyDescriptor: Int32?
        /// What the system refused of the protection of the process.
        package var refusals: ProcessHardening.Refusals

        /// Takes the options of a command line.
        package init(location: AgentLocation, readyDescriptor: Int32? = nil, refusals: ProcessHardening.Refusals = []) {
            self.location = location
            self.readyDescriptor = readyDescriptor
            self.refusals = refusals
        }
    }

    /// How the program ended.
    package enum Outcome: Equatable, Sendable {
        /// It was told to, by a request or a signal, and has locked everything.
        case ended
        /// Another agent lives there.
        case alreadyRunning
        /// A directory, socket or lock is not as it should be, and nothing was touched.
        case refused(path: String, reason: String)
        /// A step failed, for the system's reason.
        case failed(step: String, errno: Int32, path: String)
    }

    /// Runs until it is told to end. Nothing secret is in memory before, and none after.
    package static func run(_ options: Options) -> Outcome {
        .failed(step: "run the agent", errno: 0, path: options.location.directory)
    }
}
