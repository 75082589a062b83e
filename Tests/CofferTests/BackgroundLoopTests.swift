import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct BackgroundLoopTests {
    /// Waits for an event of another thread.
    final class Event: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let count = Mutex(0)

        func signal() {
            count.withLock { $0 += 1 }
            semaphore.signal()
        }

        func wait() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }
        var times: Int { count.withLock { $0 } }
    }

    /// Waits until something holds, for a long time if need be.
    static func eventually(_ condition: () -> Bool) -> Bool {
        for _ in 0..<6_000 {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }

    private func pipe() throws -> (read: Int32, write: Int32) { try ChildProcess.pipe() }

    @Test("wake-ups come in the order of their times, also those whose time has passed")
    func order() throws {
        let clock = SystemClock()
        let now = clock.now
        let seen = Mutex<[(number: Int, isInTime: Bool)]>([])
        let event = Event()
        let wakeUps = try [(3, 60), (1, 20), (2, 40), (0, -1_000)].map { number, milliseconds in
            try clock.wakeUp(at: now + Int64(milliseconds) * 1_000_000) {
                let isInTime = clock.now >= now + Int64(milliseconds) * 1_000_000
                seen.withLock { $0.append((number, isInTime)) }
                event.signal()
            }
        }
        for _ in 0..<4 { #expect(event.wait()) }
        #expect(seen.withLock { $0.map(\.number) } == [0, 1, 2, 3])
        #expect(seen.withLock { $0.allSatisfy(\.isInTime) })
        withExtendedLifetime(wakeUps) {}
    }

    @Test("a wake-up that was cancelled, or let go, does not come")
    func cancelled() throws {
        let clock = SystemClock()
        let (never, event) = (Event(), Event())
        let soon = clock.now + 50_000_000
        let first = try clock.wakeUp(at: soon) { never.signal() }
        _ = try clock.wakeUp(at: soon) { never.signal() }
        let last = try clock.wakeUp(at: soon + 1_000_000) { event.signal() }
        first.cancel()
        first.cancel()
        #expect(event.wait())
        #expect(never.times == 0)
        last.cancel()
    }

    @Test("a body may register and cancel, itself too")
    func insideBody() throws {
        let clock = SystemClock()
        let event = Event()
        let held = Mutex<[any WakeUp]>([])
        let outer = try clock.wakeUp(at: clock.now) {
            held.withLock { $0.first }?.cancel()
            let inner = try? clock.wakeUp(at: clock.now) { event.signal() }
            held.withLock { held in if let inner { held.append(inner) } }
        }
        held.withLock { $0.append(outer) }
        #expect(event.wait())
        held.withLock { $0 = [] }
    }

    @Test("a watched descriptor is told while it is ready, and closed when it is cancelled")
    func watch() throws {
        let ends = try pipe()
        let event = Event()
        let registration = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLIN)) { events in
            var byte: UInt8 = 0
            if events & Int16(POLLIN) != 0, unsafe read(ends.read, &byte, 1) == 1 { event.signal() }
        }
        for _ in 0..<3 {
            #expect(unsafe write(ends.write, "x", 1) == 1)
            #expect(event.wait())
        }
        #expect(event.times == 3)
        registration.cancel()
        // Nobody reads any more: the other end is told so.
        #expect(Self.eventually { self.hasNoReader(ends.write) })
        close(ends.write)
    }

    @Test("a descriptor that its own body cancels stays open until the body ends")
    func cancelInsideBody() throws {
        let ends = try pipe()
        let event = Event()
        let isOpenInside = Mutex(false)
        let held = Mutex<BackgroundLoop.Registration?>(nil)
        let registration = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLIN)) { _ in
            held.withLock { $0 }?.cancel()
            let isStillOpen = Self.isOpen(ends.read) && !self.hasNoReader(ends.write)
            isOpenInside.withLock { $0 = isStillOpen }
            event.signal()
        }
        held.withLock { $0 = registration }
        #expect(unsafe write(ends.write, "x", 1) == 1)
        #expect(event.wait())
        #expect(isOpenInside.withLock { $0 })
        #expect(Self.eventually { self.hasNoReader(ends.write) })
        #expect(event.times == 1)
        close(ends.write)
    }

    private func hasNoReader(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        return unsafe poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLERR) != 0
    }

    @Test("the thread takes no signals but its own faults")
    func signals() throws {
        let clock = SystemClock()
        let event = Event()
        let blocked = Mutex<String?>(nil)
        let wakeUp = try clock.wakeUp(at: clock.now) {
            let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
            blocked.withLock { $0 = line.map { String($0.suffix(16)) } }
            event.signal()
        }
        #expect(event.wait())
        wakeUp.cancel()
        // The two that the C library needs are open too, and the two that the kernel lets nobody block.
        let open = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, 32, 33, SIGKILL, SIGSTOP]
        let mask = blocked.withLock { $0 }.flatMap { UInt64($0, radix: 16) }
        #expect(mask == ~open.reduce(0) { $0 | 1 << UInt64($1 - 1) })
    }

    // What follows is about the process as a whole, or forks it: in a process of its own, where no other test takes part.

    @Test("the thread ends with its descriptors when nothing is registered, and starts anew")
    func thread() async {
        await #expect(processExitsWith: .success) {
            let clock = SystemClock()
            var before: [Int] = []
            for round in 0..<4 {
                let wakeUp = try clock.wakeUp(at: clock.now + 3_600_000_000_000) {}
                #expect(Self.eventually { Self.waiters[0] == 1 })
                wakeUp.cancel()
                #expect(Self.eventually { Self.waiters[0] == 0 })
                // The runtime makes waiters of its own, at a time of its own: at most one of each kind.
                if round == 0 { before = Self.waiters }
            }
            let after = Self.waiters
            #expect(after[1] <= before[1] + 1)
            #expect(after[2] <= before[2] + 1)
        }
    }

    @Test("a forked child has a loop of its own, also when a thread of its parent used the loop at that moment")
    func fork() async {
        await #expect(processExitsWith: .success) {
            // Once before the fork, so that the runtime has made what it makes at the first use.
            #expect(Self.useLoop() == 0)
            let clock = SystemClock()
            let isDone = Mutex(false)
            let threads = (0..<2).map { _ in
                let thread = Thread {
                    while !isDone.withLock({ $0 }) { _ = try? clock.wakeUp(at: clock.now + 1_000_000_000) {} }
                }
                thread.start()
                return thread
            }
            let never = Event()
            let inherited = try clock.wakeUp(at: clock.now + 3_600_000_000_000) { never.signal() }
            for _ in 0..<50 {
                let status = try Child.status {
                    inherited.cancel()
                    return Self.useLoop()
                }
                #expect(status == 0)
            }
            isDone.withLock { $0 = true }
            #expect(Self.eventually { threads.allSatisfy(\.isFinished) })
            inherited.cancel()
            #expect(never.times == 0)
        }
    }

    @Test("without descriptors a watch is refused, and wake-ups still come")
    func withoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            let ends = try ChildProcess.pipe()
            #expect(Self.limit(RLIMIT_NOFILE, to: 3))
            #expect(throws: Errno(code: EMFILE)) {
                _ = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLIN)) { _ in }
            }
            #expect(!Self.isOpen(ends.read))
            let clock = SystemClock()
            let wakeUp = try clock.wakeUp(at: clock.now + 1) { close(ends.write) }
            #expect(Self.eventually { !Self.isOpen(ends.write) })
            wakeUp.cancel()
        }
    }

    @Test("without threads a watch and a wake-up are refused, and nothing stays open")
    func withoutThreads() async {
        await #expect(processExitsWith: .success) {
            let (before, descriptor) = (Self.waiters, try ChildProcess.pipe().read)
            #expect(Self.isOpen(descriptor))
            #expect(Self.limit(RLIMIT_AS, to: 1))
            // The C library keeps a few stacks of threads that have ended, and more of them may end at any time.
            let pause: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                Glibc.pause()
                return nil
            }
            func useUpStacks() {
                var thread = pthread_t()
                while unsafe pthread_create(&thread, nil, pause, nil) == 0 {}
            }
            var errors: [Int32?] = []
            for _ in 0..<2 {
                useUpStacks()
                errors.append(Self.failure { () throws(Errno) in _ = try SystemClock().wakeUp(at: 0) {} })
            }
            useUpStacks()
            errors.append(
                Self.failure { () throws(Errno) in _ = try BackgroundLoop.shared.watch(descriptor, for: 0) { _ in } })
            let isOpen = Self.isOpen(descriptor)
            // Now the harness may need memory again.
            #expect(Self.limit(RLIMIT_AS, to: rlim_t.max))
            #expect(errors == [EAGAIN, EAGAIN, EAGAIN])
            #expect(!isOpen)
            #expect(Self.waiters[0] == before[0])
            #expect(Self.waiters[1] <= before[1] + 1)
        }
    }

    /// Registers, waits and cancels; 0 when all of it works. A forked child can do this too.
    static func useLoop() -> Int32 {
        let clock = SystemClock()
        guard let ends = try? ChildProcess.pipe() else { return 1 }
        let wakeUp = try? clock.wakeUp(at: clock.now) { _ = unsafe write(ends.write, "x", 1) }
        var byte: UInt8 = 0
        guard wakeUp != nil, unsafe read(ends.read, &byte, 1) == 1 else { return 2 }
        wakeUp?.cancel()
        return 0
    }

    /// The numbers of the threads and descriptors of this process that are of the loop's kinds.
    static var waiters: [Int] {
        let files = FileManager.default
        let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let names = threads.map { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let kinds = descriptors.map { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        return [
            names.count { $0 == "coffer\n" }, kinds.count { $0 == "anon_inode:[timerfd]" },
            kinds.count { $0 == "anon_inode:[eventfd]" },
        ]
    }

    static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

    static func failure(_ body: () throws(Errno) -> Void) -> Int32? {
        do throws(Errno) {
            try body()
            return nil
        } catch { return error.code }
    }

    static func limit(_ resource: __rlimit_resource, to value: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        let number = __rlimit_resource_t(resource.rawValue)
        guard unsafe getrlimit(number, &limit) == 0 else { return false }
        limit.rlim_cur = min(value, limit.rlim_max)
        return unsafe setrlimit(number, &limit) == 0
    }
}
