internal import CSystem
internal import Coffer
internal import Glibc
package import SecureMemory
internal import VaultFile

/// The program that `coffer agent run` is.
package enum AgentProgram {
    /// How the program runs.
    package struct Options: Sendable {
        /// Where it listens.
        package var location: AgentLocation
        /// A descriptor that gets one line, that the agent listens or why it does not, and is closed then.
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
    ///
    /// No thread must have been started before, because those that this starts are to take no signals.
    package static func run(_ options: Options) -> Outcome {
        // Pages are locked for the process that asks, so nothing is allocated before this one is the agent.
        umask(0o077)
        // Started by way of /proc/self/exe, it would be found in no list of processes.
        QuietThread.name("coffer-agent")
        raiseDescriptorLimit()
        return serve(options) { AgentService(refusals: options.refusals) }
    }

    /// Does what ``run(_:)`` does, but for the settings of the whole process.
    ///
    /// - Parameters:
    ///   - options: where to listen, and whom to tell.
    ///   - limits: what clients may take.
    ///   - makeHandler: makes what answers, when all else is ready.
    package static func serve(
        _ options: Options, limits: AgentLimits = AgentLimits(), makeHandler: () -> any AgentHandler
    ) -> Outcome {
        let ready = options.readyDescriptor.map { OwnedDescriptor($0) }
        if let number = options.readyDescriptor { _ = cs_close_on_exec(number) }
        do throws(AgentPlaceError) {
            let signals = try endingSignals(options.location)
            let listening = try ListeningSocket(at: options.location, inherited: try SocketActivation.take())
            let handler = makeHandler()
            let loop = try makeLoop(listening.descriptor, signals.number, handler, limits, options.location)
            let mailbox = loop.mailbox
            let watch = SocketWatch(options.location.socketPath, of: listening.identity) { mailbox.askForEnd() }
            tell(.ready, ready)
            loop.run()
            watch.cancel()
            handler.stop()
            // The name of the socket goes before the connections: who sees the end of one finds nobody there.
            drop(listening)
            return withExtendedLifetime(loop) { .ended }
        } catch {
            switch error {
            case .alreadyRunning:
                tell(.running, ready)
                return .alreadyRunning
            case .refused(let path, let reason):
                tell(.refused(path: path, reason: reason), ready)
                return .refused(path: path, reason: reason)
            case .failed(let step, let errno, let path):
                tell(.failed(step: step, errno: errno), ready)
                return .failed(step: step, errno: errno, path: path)
            }
        }
    }

    private static func drop(_ listening: consuming ListeningSocket) {}

    private static func endingSignals(_ location: AgentLocation) throws(AgentPlaceError) -> OwnedDescriptor {
        do throws(Errno) { return try SignalDescriptor.open(SignalDescriptor.ending) } catch {
            throw .failed(step: "wait for signals", errno: error.code, path: location.directory)
        }
    }

    private static func makeLoop(
        _ listener: Int32, _ signals: Int32, _ handler: any AgentHandler, _ limits: AgentLimits,
        _ location: AgentLocation
    ) throws(AgentPlaceError) -> AgentLoop {
        do throws(Errno) {
            return try AgentLoop(listener: listener, signals: signals, handler: handler, limits: limits)
        } catch {
            throw .failed(step: "wait for clients", errno: error.code, path: location.socketPath)
        }
    }

    // A login often allows a thousand, and many more to who asks.
    private static func raiseDescriptorLimit() {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(descriptors, &limit) == 0, limit.rlim_cur < 4_096 else { return }
        limit.rlim_cur = min(limit.rlim_max, 4_096)
        _ = unsafe setrlimit(descriptors, &limit)
    }

    private static func tell(_ line: ReadyLine, _ ready: consuming OwnedDescriptor?) {
        guard let ready else { return }
        let bytes = line.bytes
        // Nobody may be there any more to hear it.
        _ = unsafe write(ready.number, bytes, bytes.count)
    }
}
