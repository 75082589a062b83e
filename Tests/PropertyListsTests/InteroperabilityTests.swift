import Foundation
import PropertyLists
import SecureMemory
import Testing

@Suite struct InteroperabilityTests {
    private static let script = """
        import plistlib, struct, sys
        data = open(sys.argv[1], 'rb').read()
        with open(sys.argv[2], 'wb') as out:
            at = 0
            while at < len(data):
                size, = struct.unpack_from('>I', data, at)
                value = plistlib.loads(data[at + 4:at + 4 + size], fmt=plistlib.FMT_BINARY)
                at += 4 + size
                copy = plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)
                out.write(struct.pack('>I', len(copy)) + copy)
        """

    @Test("plistlib reads what is written here, and what it writes of it is read as the same list")
    func plistlib() throws {
        var generator = SeededGenerator(seed: 5)
        var lists: [[UInt8]] = []
        for _ in 0..<200 { lists.append(try Value.random(depth: 4, using: &generator).withoutNegativeZero.list()) }
        lists.append(try Value.array((0..<70_000).map { .integer($0) }).list())
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "in"), folder.appending(path: "out"))
        try Data(lists.flatMap { length($0.count) + $0 }).write(to: input)
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/python3")
        python.arguments = ["-c", Self.script, input.path, output.path]
        try python.run()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
        var rest = Array(try Data(contentsOf: output))[...]
        for list in lists {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let copy = Array(rest.dropFirst(4).prefix(size))
            rest = rest.dropFirst(4 + size)
            let buffer = try unsafe LenientReader.canonicalize(copy.span.bytes)
            #expect((Array(copying: buffer.bytes) == list) == true)
        }
        #expect(rest.isEmpty)
    }

    private func length(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }
}

extension Value {
    /// plistlib shares equal reals, and so takes −0.0 for 0.0.
    fileprivate var withoutNegativeZero: Value {
        switch self {
        case .real(let bits): .real(bits == 1 << 63 ? 0 : bits)
        case .array(let elements): .array(elements.map(\.withoutNegativeZero))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.withoutNegativeZero))
        default: self
        }
    }
}
