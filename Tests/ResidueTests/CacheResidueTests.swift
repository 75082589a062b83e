import TestSupport
import Testing

@Suite struct CacheResidueTests {
    @Test("a cached value stands once in guarded memory, and nowhere once it expired, was replaced, removed or cleared")
    func lifetime() throws {
        let names = ["first", "second", "third", "short", "absent"]
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, canary()) })
        let search = MemoryScan(values)
        let probe = try MemoryScanChild("ResidueProbe", ["cache"])
        #expect(try probe.line() == "ready")

        /// Does steps, and says whether the scan found exactly these values; nil where nobody may look.
        func holds(_ wanted: Set<String>, after steps: String..., everything: Bool = false) throws -> Bool? {
            for step in steps {
                let words = step.split(separator: " ").map(String.init)
                let line = words.prefix(2).joined(separator: " ")
                try probe.step(line, secret: words.count > 2 ? values[words[2]] : nil)
            }
            guard let report = try scan(search, probe, everything: everything) else { return nil }
            let isRight = names.allSatisfy { name in
                wanted.contains(name) ? report.holdsOneGuardedCopy(of: name) : report[name].isEmpty
            }
            if !isRight { Issue.record("after \(steps): \(report)") }
            return isRight
        }

        guard try holds(["first"], after: "set a first") != nil else { return }
        #expect(try holds(["first"], after: "read a", "read a") == true)
        #expect(try holds(["first", "second"], after: "set b second") == true)
        #expect(try holds(["third", "second"], after: "set a third") == true)
        #expect(try holds(["second"], after: "remove a", everything: true) == true)
        #expect(try holds(["first", "second"], after: "set c first") == true)
        #expect(try holds([], after: "clear", everything: true) == true)
        // Nobody asks for it: the timer alone.
        #expect(try holds([], after: "set-short d short", "wait", everything: true) == true)
    }
}
