import CofferAgent
import Foundation
import TestSupport

/// An agent in a forked child, for what concerns the whole process: for exit tests alone.
struct ForkedAgent {
    let place: TestPlace
    let process: pid_t

    /// Starts an agent with a stub and waits until it says something.
    ///
    /// - Parameter prepare: runs in the child first.
    init(_ place: TestPlace, limits: AgentLimits = AgentLimits(), prepare: () -> Void = {}) throws {
        self.place = place
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        let location = place.location
        process = try Child.start {
            // Nothing else of the parent's stays open, so that a test knows how many descriptors are left.
            dup2(ends[1], 4)
            if let last = Self.lastDescriptor { for descriptor in 5...max(last, 5) { close(descriptor) } }
            prepare()
            let stub = StubHandler()
            let options = AgentProgram.Options(location: location, readyDescriptor: 4)
            let outcome = AgentProgram.serve(options, limits: limits) { stub }
            return outcome == .ended && stub.seen.lockedAll == 1 && stub.seen.hasStopped ? 0 : 1
        }
        close(ends[1])
        defer { close(ends[0]) }
        var line = [UInt8](repeating: 0, count: 32)
        guard unsafe read(ends[0], &line, line.count) > 0 else { throw POSIXError(.ECHILD) }
    }

    private static var lastDescriptor: Int32? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names?.compactMap { Int32($0) }.max()
    }

    /// Waits for the end and gives the status: 0 if everything was locked once and stopped.
    func waitForEnd() -> Int32 {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, 0) == process && status & 0x7F == 0 ? status >> 8 & 0xFF : 255
    }

    /// The time that the process has had of a processor, in milliseconds.
    var processorTime: Int {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = (text ?? "").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return 0 }
        return (user + system) * 10
    }
}
