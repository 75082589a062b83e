// A program for the tests to look into from outside. It does one step for each line on standard input and answers
// with one line; between two steps it stands still. Secrets come on standard input, never by an argument.

internal import CSystem
internal import Coffer
internal import Glibc

/// Holds what comes next on standard input where every scan must find it.
func holdInOrdinaryMemory() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    let count = unsafe read(0, bytes.baseAddress, bytes.count)
    Lines.write(count > 0 ? "holding" : "nothing came")
    _ = Lines.read()
    unsafe bytes.deallocate()
}

/// Holds a secret, then lets it go.
func holdSecret() throws {
    do {
        let secret = try Secret(readingLineFrom: 0)
        Lines.write("holding \(secret.count)")
        _ = Lines.read()
        Lines.write(secret.isEqual(to: secret) ? "read" : "broken")
        _ = Lines.read()
    }
    Lines.write("dropped")
    _ = Lines.read()
}

switch CommandLine.arguments.dropFirst().first {
case "control": holdInOrdinaryMemory()
case "secret": try holdSecret()
case "idle":
    Lines.write("dumpable \(cs_get_dumpable())")
    _ = Lines.read()
case "vault" where CommandLine.arguments.count == 3:
    await VaultSteps(vault: Vault(at: .file(CommandLine.arguments[2]))).run()
case "vault" where CommandLine.arguments.count == 4:
    try await AutoLockSteps.vault(CommandLine.arguments[2], rule: CommandLine.arguments[3]).run()
case "cache": CacheSteps().run()
case "file" where CommandLine.arguments.count == 4:
    FileSteps.run(CommandLine.arguments[3], withCode: CommandLine.arguments[2] == "code")
case "agent" where CommandLine.arguments.count == 3: AgentSteps.run(CommandLine.arguments[2], readyDescriptor: 3)
default:
    Lines.write(
        "usage: ResidueProbe control | secret | idle | cache | vault PATH [RULE] | file passphrase|code PATH | agent DIR"
    )
    exit(2)
}
