import CofferCommands
import Glibc
import SecureMemory

ProcessHardening.apply()
exit(unsafe CofferCommands.main(CommandLine.argc, CommandLine.unsafeArgv))
