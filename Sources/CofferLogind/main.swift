internal import Coffer
internal import CofferAgent
internal import Glibc

let help = """
    usage: coffer-logind [--help | --version]

    Has the agent lock all vaults of this user before the machine sleeps, and when one of the user's sessions is locked,
    as systemd's login manager tells. It runs until SIGTERM; a service of systemd is in coffer-logind.service.

      $COFFER_RUNTIME_DIR       where the agent listens, if not in $XDG_RUNTIME_DIR/coffer
      $DBUS_SYSTEM_BUS_ADDRESS  the system bus, if not the usual one

    """

/// Runs the program.
///
/// - Returns: its exit status.
func run(_ arguments: [String]) -> Int32 {
    switch arguments {
    case []: break
    case ["--help"], ["-h"]:
        Messages.write(help, to: STDOUT_FILENO)
        return EXIT_SUCCESS
    case ["--version"]:
        Messages.write("coffer-logind \(LibraryVersion.string)\n", to: STDOUT_FILENO)
        return EXIT_SUCCESS
    default:
        Messages.write(help, to: STDERR_FILENO)
        return 2
    }
    do throws(AgentClientError) {
        return LogindWatch(of: try AgentLocation.ofUser()).run()
    } catch {
        Messages.say(AgentLocking.text(error))
        return EXIT_FAILURE
    }
}

// A journal that went away is no reason to end.
signal(SIGPIPE, SIG_IGN)
exit(run(Array(CommandLine.arguments.dropFirst())))
