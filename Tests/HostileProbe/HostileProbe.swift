import Glibc

// HostileProbe FOLDER [FAULT]: judges what comes on standard input, and says of each what it is and what that cost. The
// file that is judged stands in FOLDER. FAULT is planted, for the checks of the proof to notice.

/// Answers each record with a line.
@main struct HostileProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard (2...3).contains(arguments.count) else { return usage() }
        var fault: PlantedFault?
        if arguments.count == 3 {
            fault = PlantedFault(rawValue: arguments[2])
            guard fault != nil else { return usage() }
        }
        var files = FileJudge(path: arguments[1] + "/judged.coffer")
        var number = 0
        while let (kind, body) = Record.read() {
            let isPlanted = number % PlantedFault.interval == PlantedFault.interval - 1
            number += 1
            var meter = try Meter(planted: isPlanted ? fault : nil)
            files.unlockedPath = isPlanted && fault == .other ? files.path + ".other" : files.path
            var answer: Answer
            switch kind {
            case "P":
                files.passphrase = body
                answer = Answer("taken")
            case "H": answer = try files.inspect(body, &meter)
            case "O": answer = try files.open(body, &meter)
            case "L": answer = try BytesJudge.list(body, &meter)
            case "Q": answer = try BytesJudge.request(body, &meter)
            case "R": answer = try BytesJudge.reply(body, &meter)
            default: return usage()
            }
            if isPlanted { fault?.distort(&answer) }
            Record.write(answer.line(meter.cost))
        }
    }

    private static func usage() {
        Record.write("usage: HostileProbe FOLDER [\(PlantedFault.allCases.map(\.rawValue).joined(separator: "|"))]")
        exit(2)
    }
}

/// What comes in: a letter for the kind, a length in 4 bytes, the least first, and so many bytes.
enum Record {
    static func read() -> (kind: Character, body: [UInt8])? {
        guard let start = bytes(5) else { return nil }
        let length = start.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
        return bytes(length).map { (Character(Unicode.Scalar(start[0])), $0) }
    }

    /// What goes out: lines.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        var count = 0
        while count < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(1, bytes.baseAddress.map { unsafe $0 + count }, bytes.count - count)
            }
            guard written > 0 else { exit(3) }
            count += written
        }
    }

    private static func bytes(_ wanted: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: wanted)
        var count = 0
        while count < wanted {
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(0, bytes.baseAddress.map { unsafe $0 + count }, wanted - count)
            }
            guard got > 0 else { return nil }
            count += got
        }
        return bytes
    }
}
