import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing
import VaultFile

/// What is seen of the process as a whole: its threads and descriptors. So one test at a time.
@Suite(.serialized) struct BackgroundLoopTests {
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

    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

    @Test("wake-ups come in the order of their times, also those whose time has passed")
    func order() throws {
        let clock = SystemClock()
        let now = clock.now
        let seen = Mutex<[Int]>([])
        let event = Event()
        let wakeUps = try [(3, 60), (1, 20), (2, 40), (0, -1_000)].map { number, milliseconds in
            try clock.wakeUp(at: now + Int64(milliseconds) * 1_000_000) {
                #expect(clock.now >= now + Int64(milliseconds) * 1_000_000)
                seen.withLock { $0.append(number) }
                event.signal()
            }
        }
        for _ in 0..<4 { #expect(event.wait()) }
        #expect(seen.withLock { $0 } == [0, 1, 2, 3])
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
            #expect(events & Int16(POLLIN) != 0)
            var byte: UInt8 = 0
            #expect(unsafe read(ends.read, &byte, 1) == 1)
            event.signal()
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

    /// How many entries a folder has, without what a forked child had better not use.
    private static func count(_ folder: String) -> Int {
        guard let stream = unsafe opendir(folder) else { return 0 }
        defer { unsafe closedir(stream) }
        var count = 0
        while unsafe readdir(stream) != nil { count += 1 }
        return count
    }

    @Test("the thread ends with its descriptors when nothing is registered, and starts anew")
    func thread() throws {
        // In a child, where no other test registers anything.
        let status = try Child.status {
            alarm(60)
            let clock = SystemClock()
            let before = (Self.count("/proc/self/task"), Self.count("/proc/self/fd"))
            for _ in 0..<2 {
                guard let wakeUp = try? clock.wakeUp(at: clock.now + 3_600_000_000_000, {}) else { return 1 }
                let during = (Self.count("/proc/self/task"), Self.count("/proc/self/fd"))
                guard during == (before.0 + 1, before.1 + 2) else { return 2 }
                wakeUp.cancel()
                while (Self.count("/proc/self/task"), Self.count("/proc/self/fd")) != before { usleep(10_000) }
            }
            return 0
        }
        #expect(status == 0)
    }

    @Test("a forked child has a loop of its own, also when a thread of its parent used the loop at that moment")
    func fork() throws {
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
        for _ in 0..<20 {
            let status = try Child.status {
                alarm(20)
                inherited.cancel()
                // No object of the harness's in the child: the descriptor tells.
                var ends: [Int32] = [0, 0]
                guard unsafe Glibc.pipe(&ends) == 0 else { return 1 }
                let end = ends[1]
                guard let wakeUp = try? clock.wakeUp(at: clock.now, { _ = unsafe write(end, "x", 1) }) else { return 2 }
                var byte: UInt8 = 0
                guard unsafe read(ends[0], &byte, 1) == 1 else { return 3 }
                wakeUp.cancel()
                return 0
            }
            #expect(status == 0)
        }
        isDone.withLock { $0 = true }
        for thread in threads { #expect(Self.eventually { thread.isFinished }) }
        inherited.cancel()
        #expect(never.times == 0)
    }

    @Test("without descriptors a watch is refused, and wake-ups still come")
    func withoutDescriptors() throws {
        // In a child: the limits hold for the whole process.
        let status = try Child.status {
            alarm(60)
            var ends: [Int32] = [0, 0]
            guard unsafe Glibc.pipe(&ends) == 0 else { return 1 }
            let (first, end) = (ends[0], ends[1])
            guard Self.limit(RLIMIT_NOFILE, to: 3) else { return 2 }
            do throws(Errno) {
                _ = try BackgroundLoop.shared.watch(first, for: Int16(POLLIN)) { _ in }
                return 3
            } catch {
                guard error == Errno(code: EMFILE) else { return 4 }
            }
            guard !Self.isOpen(first) else { return 5 }
            let clock = SystemClock()
            guard let wakeUp = try? clock.wakeUp(at: clock.now + 1, { close(end) }) else { return 6 }
            while Self.isOpen(end) { usleep(10_000) }
            wakeUp.cancel()
            return 0
        }
        #expect(status == 0)
    }

    @Test("without threads a watch and a wake-up are refused, and nothing stays open")
    func withoutThreads() throws {
        let status = try Child.status {
            alarm(60)
            guard Self.limit(RLIMIT_AS, to: 1) else { return 1 }
            // The C library keeps a few stacks of threads that have ended.
            var thread = pthread_t()
            let pause: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
                Glibc.pause()
                return nil
            }
            while unsafe pthread_create(&thread, nil, pause, nil) == 0 {}
            let before = Self.count("/proc/self/fd")
            for _ in 0..<2 {
                do throws(Errno) {
                    _ = try SystemClock().wakeUp(at: 0) {}
                    return 2
                } catch {
                    guard error == Errno(code: EAGAIN) else { return 3 }
                }
            }
            guard Self.count("/proc/self/fd") == before else { return 4 }
            let descriptor = dup(2)
            guard (try? BackgroundLoop.shared.watch(descriptor, for: 0) { _ in }) == nil else { return 5 }
            return Self.isOpen(descriptor) ? 6 : 0
        }
        #expect(status == 0)
    }

    private static func limit(_ resource: __rlimit_resource, to value: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        let number = __rlimit_resource_t(resource.rawValue)
        guard unsafe getrlimit(number, &limit) == 0 else { return false }
        limit.rlim_cur = value
        return unsafe setrlimit(number, &limit) == 0
    }
}
