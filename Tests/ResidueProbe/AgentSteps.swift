internal import Coffer
internal import CofferAgent
internal import Glibc
internal import Synchronization
internal import VaultFile

/// An agent whose machine sleeps, or is short of memory, when a line on standard input says so.
enum AgentSteps {
    /// Serves in a runtime directory until the tests let go.
    static func run(_ directory: String, readyDescriptor: Int32) {
        let (clock, sleeps, memory) = (SleepyClock(), Seam(), Seam(before: "high 0\n"))
        var surroundings = VaultSurroundings()
        surroundings.clock = clock
        surroundings.triggers.cgroup = { "/group" }
        surroundings.triggers.open = { path, _ in
            path == "/group/memory.events" ? memory.notice() : .failure(Errno(code: ENOENT))
        }
        surroundings.triggers.clockChanges = { sleeps.notice() }
        let handler = AgentService(surroundings: surroundings)
        let options = AgentProgram.Options(
            location: AgentLocation(directory: directory), readyDescriptor: readyDescriptor)
        _ = QuietThread.start {
            _ = AgentProgram.serve(options) { handler }
            exit(0)
        }
        while let line = Lines.read() {
            switch line {
            case "sleep":
                clock.sleep(for: 3_600_000_000_000)
                sleeps.tell("woken up")
            case "pressure": memory.tell("high 1\n")
            default: break
            }
            Lines.write(line)
        }
    }
}

/// The system's clock, on a machine that also sleeps when a test says so.
private final class SleepyClock: VaultClock {
    private let system = SystemClock()
    private let added = Atomic<Int64>(0)

    var now: Int64 { system.now + added.load(ordering: .relaxed) }
    var slept: Int64 { system.slept + added.load(ordering: .relaxed) }
    var sleptAtMost: Int64 { system.sleptAtMost + added.load(ordering: .relaxed) }

    func sleep(for nanoseconds: Int64) { added.add(nanoseconds, ordering: .relaxed) }

    func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
        try system.wakeUp(at: deadline - added.load(ordering: .relaxed), body)
    }
}

/// Where the kernel would tell each vault that something happened.
private final class Seam: Sendable {
    private let before: String
    private let told = Mutex<[Int32]>([])

    /// - Parameter before: what stands there at first.
    init(before: String = "") { self.before = before }

    func notice() -> Result<TriggerSurroundings.Notice, Errno> {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return .failure(Errno(code: errno)) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        told.withLock { $0.append(ends[1]) }
        Self.write(before, to: ends[1])
        return .success(TriggerSurroundings.Notice(descriptor: ends[0], events: Int16(POLLIN)))
    }

    func tell(_ text: String) { for end in told.withLock({ $0 }) { Self.write(text, to: end) } }

    private static func write(_ text: String, to end: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(end, bytes, bytes.count)
    }
}
