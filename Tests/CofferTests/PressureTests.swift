import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct PressureTests {
    private static let system = "/proc/pressure/memory"

    /// Surroundings in which the kernel's files are these pipes, and no others are there.
    private func surroundings(_ files: [String: NoticePipe], cgroup: String? = nil) -> TriggerSurroundings {
        var surroundings = TriggerSurroundings()
        surroundings.cgroup = { cgroup }
        surroundings.open = { path, _ in files[path].map { .success($0.notice) } ?? .failure(Errno(code: ENOENT)) }
        return surroundings
    }

    @Test("without any sign of the kernel's the attachment says so, with the system's number")
    func absent() throws {
        let attachment = LockTrigger.memoryPressure.attach(clock: ManualClock(), in: surroundings([:])) { _ in }
        #expect(attachment.unavailable?.name == "memory pressure")
        #expect(attachment.unavailable?.errno == ENOENT)
    }

    @Test("a system that refuses the trigger is named, though the file is there")
    func refused() throws {
        var surroundings = surroundings([:])
        let real = surroundings
        surroundings.open = { path, trigger in
            path == Self.system ? .failure(Errno(code: EOPNOTSUPP)) : real.open(path, trigger)
        }
        let attachment = LockTrigger.memoryPressure.attach(clock: ManualClock(), in: surroundings) { _ in }
        #expect(attachment.unavailable?.errno == EOPNOTSUPP)
    }

    @Test("pressure drops the copy, and attaching does not")
    func pressure() throws {
        let file = try NoticePipe()
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: ManualClock(), in: surroundings([Self.system: file])
        ) { action in
            if action == .dropCopy { fired.happen() }
        }
        #expect(attachment.unavailable == nil)
        try Background.settle()
        #expect(fired.count == 0)
        file.tell("some")
        #expect(fired.wait())
        attachment.cancel()
    }

    @Test("one sign is enough, whichever it is", arguments: ["memory.pressure", "memory.events"])
    func cgroup(name: String) throws {
        let file = try NoticePipe("high 0\n")
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: ManualClock(), in: surroundings(["/group/\(name)": file], cgroup: "/group")
        ) { _ in fired.happen() }
        #expect(attachment.unavailable == nil)
        file.tell("high 1\n")
        #expect(fired.wait())
        attachment.cancel()
    }

    @Test("only a counter of memory that grew fires")
    func counters() throws {
        let clock = ManualClock()
        let file = try NoticePipe("low 0\nhigh 3\nmax 1\noom 0\noom_kill 0\n")
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: clock, in: surroundings(["/group/memory.events": file], cgroup: "/group")
        ) { _ in fired.happen() }
        for text in [
            "low 0\nhigh 3\nmax 1\noom 0\noom_kill 0\n", "low 9\nhigh 3\nmax 1\noom 0\noom_kill 0\n", "high 2\n",
            "high\n", "high x\n", "high -1\n", "high 99999999999999999999\n", "\n", "\u{0}",
        ] {
            file.tell(text)
            try Background.settle()
            clock.advance(by: .seconds(2))
            #expect(fired.count == 0, "\(text)")
        }
        for (number, text) in ["high 1\n", "max 1\nhigh 1\n", "oom 1\nmax 1\n", "oom_kill 1\noom 1\n"].enumerated() {
            file.tell(text)
            try Background.settle()
            #expect(fired.count == number + 1, "\(text)")
            clock.advance(by: .seconds(2))
        }
        attachment.cancel()
    }

    @Test("a storm of events is one firing, and one more at the end of a second")
    func storm() throws {
        let clock = ManualClock()
        let file = try NoticePipe()
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: clock, in: surroundings([Self.system: file])
        ) { _ in fired.happen() }
        for _ in 0..<20 {
            file.tell("some")
            try Background.settle()
        }
        #expect(fired.count == 1)
        clock.advance(by: .milliseconds(999))
        #expect(fired.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(fired.count == 2)
        clock.advance(by: .seconds(60))
        #expect(fired.count == 2)
        #expect(clock.deadlines.isEmpty)
        // A second without a clock's help is no reason to be silent.
        clock.fail(with: Errno(code: EAGAIN))
        for _ in 0..<2 {
            file.tell("some")
            try Background.settle()
        }
        #expect(fired.count == 4)
        attachment.cancel()
    }

    @Test("nothing fires after the attachment was cancelled, also what was to come later")
    func cancelled() throws {
        let clock = ManualClock()
        let file = try NoticePipe()
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: clock, in: surroundings([Self.system: file])
        ) { _ in fired.happen() }
        for _ in 0..<2 {
            file.tell("some")
            try Background.settle()
        }
        attachment.cancel()
        #expect(clock.deadlines.isEmpty)
        clock.advance(by: .seconds(2))
        #expect(fired.count == 1)
    }

    @Test("a cgroup that is gone ends its own signs only")
    func removed() throws {
        let clock = ManualClock()
        let (system, pressure, events) = (try NoticePipe(), try NoticePipe(), try NoticePipe("high 0\n"))
        let files = [Self.system: system, "/group/memory.pressure": pressure, "/group/memory.events": events]
        let fired = Occurrences()
        let attachment = LockTrigger.memoryPressure.attach(
            clock: clock, in: surroundings(files, cgroup: "/group")
        ) { _ in fired.happen() }
        for file in [pressure, events] {
            file.end()
            try Background.settle()
        }
        #expect(fired.count == 0)
        system.tell("some")
        #expect(fired.wait())
        attachment.cancel()
    }

    @Test(
        "the trigger is written as the kernel takes it from anybody",
        arguments: [
            (Duration.milliseconds(200), Duration.seconds(2), "some 200000 2000000\0"),
            (.milliseconds(150), .seconds(1), "some 150000 2000000\0"),
            (.seconds(3), .seconds(5), "some 3000000 6000000\0"),
            (.seconds(9), .seconds(600), "some 9000000 10000000\0"), (.seconds(4), .zero, "some 2000000 2000000\0"),
            (.zero, .seconds(-1), "some 1 2000000\0"), (.seconds(-1), .seconds(2), "some 1 2000000\0"),
            (.seconds(Int64.max), .seconds(Int64.max), "some 10000000 10000000\0"),
            (.seconds(Int64.min), .seconds(Int64.min), "some 1 2000000\0"),
        ])
    func written(stall: Duration, window: Duration, expected: String) throws {
        let place = try TemporaryVault(create: false)
        let path = place.directory.appendingPathComponent("memory").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        var surroundings = surroundings([:])
        let open = TriggerSurroundings().open
        surroundings.open = { _, trigger in open(path, trigger) }
        let trigger = LockTrigger.memoryPressure(stall: stall, within: window)
        let attachment = trigger.attach(clock: ManualClock(), in: surroundings) { _ in }
        #expect(attachment.unavailable == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == expected)
    }

    @Test("the files of this machine can be waited for, or the attachment says why not")
    func real() throws {
        let attachment = LockTrigger.memoryPressure.attach(clock: SystemClock()) { _ in }
        if geteuid() == 0 && FileManager.default.isWritableFile(atPath: Self.system) {
            #expect(attachment.unavailable == nil)
        } else if let unavailable = attachment.unavailable {
            #expect(unavailable.errno > 0)
        }
    }

    @Test("no duration is too long or too short to be asked for")
    func extremes() async {
        await #expect(processExitsWith: .success) {
            let part: Int64 = 999_999_999_999_999_999
            for seconds: Int64 in [.min, -9_223_372_036_854, 9_223_372_036_854, .max] {
                let parts = seconds < 0 ? -part : part
                let duration = Duration(secondsComponent: seconds / 1_000_000 * 1_000_000, attosecondsComponent: 0)
                let odd = Duration(secondsComponent: max(seconds, -9_223_372_036_854), attosecondsComponent: parts)
                for duration in [duration, odd] { _ = LockTrigger.memoryPressure(stall: duration, within: duration) }
            }
        }
    }
}
