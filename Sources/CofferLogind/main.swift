internal import Coffer
internal import CofferAgent
internal import VaultFile

let help = """
    usage: coffer-logind [--help | --version]

    Has the agent lock all vaults of this user before the machine sleeps, and when one of the user's sessions is locked,
    as systemd's login manager tells. It runs until SIGTERM; a service of systemd is in coffer-logind.service.

      $COFFER_RUNTIME_DIR       where the agent listens, if not in $XDG_RUNTIME_DIR/coffer
      $DBUS_SYSTEM_BUS_ADDRESS  the system bus, if not the usual one

    """

/// Runs the program.
///
/// - Returns: what its end tells.
func run(_ arguments: [String]) -> ExitStatus {
    switch arguments {
    case []: break
    case ["--help"], ["-h"]:
        return Messages.write(help, to: .output) ? .success : .failure
    case ["--version"]:
        return Messages.write("coffer-logind \(LibraryVersion.string)\n", to: .output) ? .success : .failure
    default:
        Messages.write(help, to: .errors)
        return .usage
    }
    let location: AgentLocation
    do throws(AgentClientError) { location = try AgentLocation.ofUser() } catch {
        Messages.say(AgentLocking.text(error))
        return .failure
    }
    do throws(Errno) { return try LogindWatch(of: location).run() } catch {
        Messages.say("cannot wait for signals (error \(error.code))")
        return .failure
    }
}

// A journal that went away is no reason to end.
ThisProcess.ignoreBrokenPipes()
ThisProcess.end(run(Array(CommandLine.arguments.dropFirst())))
