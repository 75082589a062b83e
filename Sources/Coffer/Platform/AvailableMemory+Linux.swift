internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("AvailableMemory knows Linux only: add a file for this system to this folder")
#endif

/// How much memory this process could get at most.
enum AvailableMemory {
    /// The smallest of physical memory and the limits of this process's cgroup and of all groups above it, in bytes.
    static func bytes() -> UInt64 {
        let physical = cs_physical_memory()
        return min(physical == 0 ? .max : physical, cgroupLimit() ?? .max)
    }

    private static func cgroupLimit() -> UInt64? {
        guard let groups = text(of: "/proc/self/cgroup") else { return nil }
        var smallest: UInt64?
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isUnified = parts[0] == "0"
            guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
            let root = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            let file = isUnified ? "memory.max" : "memory.limit_in_bytes"
            // A limit of any group above holds too; in a container the inner path may not be visible.
            var components = parts[2].split(separator: "/")
            while true {
                let directory = ([root] + components.map(String.init)).joined(separator: "/")
                if let text = text(of: "\(directory)/\(file)"),
                    let limit = UInt64(text.prefix { $0 != "\n" })
                {
                    smallest = min(smallest ?? limit, limit)
                }
                if components.popLast() == nil { break }
            }
        }
        return smallest
    }

    /// A small file of the kernel's. They hold nothing secret.
    static func text(of path: String) -> String? {
        let descriptor = unsafe cs_open(path, O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
