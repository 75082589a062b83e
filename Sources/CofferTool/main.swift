import CofferCommands
import Glibc
import SecureMemory

let refusals = ProcessHardening.apply()
exit(unsafe CofferCommands.main(CommandLine.argc, CommandLine.unsafeArgv, refusals: refusals))
