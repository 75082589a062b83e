internal import Glibc

extension MemoryScan {
    /// One mapping of a process, as `/proc/PID/smaps` tells of it.
    struct Region {
        let start: UInt
        let end: UInt
        let mapping: Mapping
        /// Whether any page is in memory or in swap that does not merely show a file.
        let holdsPagesOfItsOwn: Bool

        static func all(of process: Int32) throws -> [Region] {
            let file = unsafe fopen("/proc/\(process)/smaps", "re")
            guard let file = unsafe file else { throw Forbidden(errno: errno) }
            defer { unsafe fclose(file) }
            var regions: [Region] = []
            var header: (start: UInt, end: UInt, name: Substring)?
            var resident = 0
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            defer { unsafe free(line) }
            while unsafe getline(&line, &capacity, file) > 0, let text = unsafe line {
                let words = unsafe String(cString: text).split(whereSeparator: \.isWhitespace)
                guard let first = words.first else { continue }
                if !first.hasSuffix(":") {
                    let ends = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
                    guard ends.count == 2 else { continue }
                    header = (ends[0], ends[1], words.count > 5 ? words[5] : "")
                    resident = 0
                } else if ["Anonymous:", "Rss:", "Swap:"].contains(first), words.count > 1 {
                    // A file's own clean pages are in Rss only.
                    if first != "Rss:" || header?.name.hasPrefix("/") == false { resident += Int(words[1]) ?? 0 }
                } else if first == "VmFlags:", let found = header {
                    guard found.name != "[vvar]", found.name != "[vsyscall]" else { continue }
                    let guarded = words.contains("dd") && words.contains("wf")
                    regions.append(
                        Region(
                            start: found.start, end: found.end, mapping: guarded ? .guarded : mapping(of: found.name),
                            holdsPagesOfItsOwn: resident > 0))
                }
            }
            guard !regions.isEmpty else { throw Forbidden(errno: EACCES) }
            return regions
        }

        private static func mapping(of name: Substring) -> Mapping {
            switch name {
            case "": .anonymous
            case "[heap]": .heap
            case "[stack]": .stack
            default: name.hasPrefix("/") ? .file : .anonymous
            }
        }
    }
}
