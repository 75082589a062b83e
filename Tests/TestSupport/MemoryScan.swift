internal import Glibc

/// Looks through the whole memory of another process for secrets, whole and in pieces.
///
/// The pages are read through `/proc/PID/mem`, which also shows those without access: a value in guarded memory counts.
/// The searching process holds the values too, so it never scans itself.
public struct MemoryScan: Sendable {
    /// How a value can be spelled in memory.
    public enum Form: String, Sendable, CaseIterable {
        case raw, base64, hexLower, hexUpper
        /// Either byte order: they differ in the outermost zero only.
        case utf16
        /// At least 16 bytes in a row, not the whole value.
        case fragment
    }

    /// What a page belongs to.
    public enum Mapping: String, Sendable {
        /// Left out of core dumps and wiped on fork: the arena of the library.
        case guarded
        case heap, stack, anonymous, file
    }

    /// One place where one value stands.
    public struct Hit: Sendable {
        /// How the value is spelled there.
        public let form: Form
        /// What the page belongs to.
        public let mapping: Mapping
        /// Where the whole value begins, or would begin.
        public let address: UInt
        /// How many bytes of it stand there.
        public let length: Int
    }

    /// Why the memory could not be read.
    public struct Forbidden: Error {
        /// What the system said.
        public let errno: Int32
    }

    private let needles: [Needle]

    /// - Parameter secrets: a name, for messages, and the bytes to look for: at least 16, and not periodic.
    public init(_ secrets: [String: [UInt8]]) {
        needles = secrets.flatMap { name, bytes in Needle.all(name, bytes) }
    }

    /// Scans a process.
    ///
    /// - Parameter everything: also reads pages that hold nothing of their own: text of libraries, untouched stacks.
    /// - Returns: what was found, by the names of the secrets.
    /// - Throws: `Forbidden` when this process may not read the other one.
    public func run(_ process: Int32, everything: Bool = false) throws -> Report {
        let memory = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Forbidden(errno: errno) }
        defer { close(memory) }
        Self.count()
        var report = Report()
        let longest = needles.map(\.bytes.count).max() ?? 0
        // The value around a piece is looked at too, so that far before and after it.
        let margin = 2 * (needles.map(\.whole.count).max() ?? 0) + longest
        let chunkSize = 1 << 20
        var chunk = [UInt8](repeating: 0, count: chunkSize + 2 * margin)
        for region in try Region.all(of: process) where everything || region.holdsPagesOfItsOwn {
            var place = region.start
            while place < region.end {
                let from = max(region.start, place &- UInt(min(margin, Int(place - region.start))))
                let wanted = min(Int(region.end - from), chunkSize + 2 * margin)
                let count = Self.read(memory, from, wanted, into: &chunk)
                report.bytesRead += count
                unsafe chunk.withUnsafeBytes { bytes in
                    for needle in needles {
                        unsafe needle.find(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: from) {
                            report.add($0, region.mapping, of: needle.secret)
                        }
                    }
                }
                place += UInt(chunkSize)
            }
        }
        return report
    }

    // A page that cannot be read (device memory) is taken as zeros.
    private static func read(_ memory: Int32, _ start: UInt, _ count: Int, into chunk: inout [UInt8]) -> Int {
        let page = Int(getpagesize())
        return unsafe chunk.withUnsafeMutableBytes { chunk in
            guard let base = chunk.baseAddress else { return 0 }
            var done = 0
            while done < count {
                let result = unsafe pread(memory, base + done, count - done, Int(bitPattern: start) + done)
                if result > 0 {
                    done += result
                } else {
                    let skipped = min(page - Int(start + UInt(done)) % page, count - done)
                    unsafe memset(base + done, 0, skipped)
                    done += skipped
                }
            }
            return count
        }
    }
}

extension MemoryScan {
    /// What a scan found.
    public struct Report: Sendable, CustomStringConvertible {
        /// How much was looked at.
        public internal(set) var bytesRead = 0
        private var found: [String: [UInt: Hit]] = [:]

        /// All places where a secret stands, whole or in part.
        public subscript(secret: String) -> [Hit] {
            (found[secret].map { Array($0.values) } ?? []).sorted { $0.address < $1.address }
        }

        /// Whether the secret stands nowhere but once, whole, in guarded memory.
        public func holdsOneGuardedCopy(of secret: String) -> Bool {
            let hits = self[secret]
            return hits.count == 1 && hits[0].form == .raw && hits[0].mapping == .guarded
        }

        /// The counts, by secret, form and mapping; never a value.
        public var description: String {
            var lines: [String] = []
            for name in found.keys.sorted() {
                let hits = self[name].map { "\($0.form.rawValue)(\($0.length)) in \($0.mapping.rawValue)" }
                lines.append("\(name): " + hits.joined(separator: ", "))
            }
            return lines.isEmpty ? "nothing" : lines.joined(separator: "; ")
        }

        // Pieces of one copy have the same first address; the longest is the copy.
        mutating func add(_ match: Needle.Match, _ mapping: Mapping, of secret: String) {
            let hit = Hit(form: match.form, mapping: mapping, address: match.address, length: match.length)
            if let before = found[secret]?[match.address], before.length >= hit.length { return }
            found[secret, default: [:]][match.address] = hit
        }
    }
}
