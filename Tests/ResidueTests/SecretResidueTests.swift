import TestSupport
import Testing

@Suite struct SecretResidueTests {
    @Test("a secret stands once in guarded memory, and nowhere when it is let go")
    func secret() throws {
        let value = canary()
        let search = MemoryScan(["secret": value])
        let child = try MemoryScanChild("ResidueProbe", ["secret"])
        try child.send(value + [10])
        #expect(try child.line() == "holding 64")
        guard let held = try scan(search, child) else { return }
        #expect(held.holdsOneGuardedCopy(of: "secret"), "\(held)")
        try child.send([10])
        #expect(try child.line() == "read")
        let read = try scan(search, child)
        #expect(read?.holdsOneGuardedCopy(of: "secret") == true, "\(String(describing: read))")
        try child.send([10])
        #expect(try child.line() == "dropped")
        let dropped = try scan(search, child, everything: true)
        #expect(dropped?["secret"].isEmpty == true, "\(String(describing: dropped))")
    }
}
