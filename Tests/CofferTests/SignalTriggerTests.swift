import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Signals change the whole process, so most of this runs in processes of its own.
@Suite struct SignalTriggerTests {
    /// What runs in those processes.
    enum Inside {
        /// A test that hangs ends all the same, and by another signal. This thread of a pool is one that holds all back.
        static func begin() {
            alarm(60)
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        }

        static func say(_ text: String) {
            let bytes = Array("<\(text)>".utf8)
            _ = unsafe write(1, bytes, bytes.count)
        }

        /// What the process does at a signal: a handler's address, 0 by default, 1 if it is ignored.
        static func disposition(_ number: Int32) -> Int {
            var action = sigaction()
            _ = unsafe sigaction(number, nil, &action)
            return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        }

        static func attach(_ number: Int32, _ fire: @escaping @Sendable () -> Void) -> Coffer.Attachment {
            LockTrigger.signal(number).attach(clock: SystemClock()) { action in
                if action == .lock { fire() }
            }
        }

        static let earlier = Atomic<Int>(0)
        static let fired = Occurrences()
    }

    private func said(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    }

    @Test("signals of a crash, those nobody can catch, and numbers that are none are refused")
    func refused() {
        for number in [
            SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, 0, -1, 32, 33, 65, .max, .min,
        ] {
            let attachment = Inside.attach(number) {}
            #expect(attachment.unavailable?.name == "signal \(number)")
            #expect(attachment.unavailable?.errno == EINVAL)
        }
    }

    @Test("a signal that ends the process does so once all vaults are locked")
    func ending() async {
        let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
            Inside.begin()
            let place = try TemporaryVault()
            let vaults = try [place.unlocked(), place.unlocked()]
            let attachments = vaults.map { vault in
                Inside.attach(SIGTERM) { [weak vault] in
                    vault?.lock()
                    Inside.say(vault?.isUnlocked == false ? "locked" : "open")
                }
            }
            kill(getpid(), SIGTERM)
            // Without this, an optimiser lets the vaults go before the signal comes.
            withExtendedLifetime((attachments, vaults)) { while true { pause() } }
        }
        #expect(said(result).contains("<locked><locked>"))
    }

    @Test("so it is when locking lets go of the last attachment")
    func lettingGo() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            Inside.begin()
            let held = Mutex<Coffer.Attachment?>(nil)
            let attachment = Inside.attach(SIGHUP) { held.withLock { $0.take() }?.cancel() }
            held.withLock { $0 = attachment }
            kill(getpid(), SIGHUP)
            while true { pause() }
        }
    }

    @Test("a signal that comes just before the last one leaves is not lost")
    func justBefore() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            Inside.begin()
            let attachment = Inside.attach(SIGINT) {}
            // The thread that would deliver it is busy meanwhile.
            try Background.held {
                raise(SIGINT)
                attachment.cancel()
            }
            exit(0)
        }
    }

    @Test("an earlier handler is called at once, and again when nobody waits any more")
    func earlierHandler() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            signal(SIGUSR1) { _ in Inside.earlier.add(1, ordering: .relaxed) }
            let before = Inside.disposition(SIGUSR1)
            let attachment = Inside.attach(SIGUSR1) { Inside.fired.happen() }
            guard Inside.disposition(SIGUSR1) != before else { exit(2) }
            raise(SIGUSR1)
            guard Inside.earlier.load(ordering: .relaxed) == 1 else { exit(3) }
            guard Inside.fired.wait() else { exit(4) }
            attachment.cancel()
            guard Inside.disposition(SIGUSR1) == before else { exit(5) }
            raise(SIGUSR1)
            guard Inside.earlier.load(ordering: .relaxed) == 2 else { exit(6) }
            try Background.settle()
            exit(Inside.fired.count == 1 ? 0 : 7)
        }
    }

    @Test("a handler for one time is called once, and the next signal ends the process")
    func oneTime() async {
        let result = await #expect(processExitsWith: .signal(SIGUSR1), observing: [\.standardOutputContent]) {
            Inside.begin()
            var action = sigaction()
            action.sa_flags = Int32(bitPattern: UInt32(0x8000_0000))  // SA_RESETHAND
            unsafe action.__sigaction_handler.sa_handler = { _ in Inside.say("earlier") }
            _ = unsafe sigaction(SIGUSR1, &action, nil)
            let attachment = Inside.attach(SIGUSR1) {
                Inside.say("locked")
                Inside.fired.happen()
            }
            raise(SIGUSR1)
            guard Inside.fired.wait() else { exit(2) }
            try Background.settle()
            raise(SIGUSR1)
            while attachment.unavailable == nil { pause() }
        }
        // The first signal reaches the handler and the thread that locks in no order.
        let said = said(result)
        #expect(said.contains("<earlier><locked><locked>") || said.contains("<locked><earlier><locked>"))
    }

    @Test("an ignored signal only locks, and is ignored again")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            signal(SIGTERM, SIG_IGN)
            let attachment = Inside.attach(SIGTERM) { Inside.fired.happen() }
            kill(getpid(), SIGTERM)
            guard Inside.fired.wait() else { exit(2) }
            attachment.cancel()
            exit(Inside.disposition(SIGTERM) == 1 ? 0 : 3)
        }
    }

    @Test("a trigger alone changes nothing; the last attachment puts back what was there, unless it was replaced")
    func restoring() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            let trigger = LockTrigger.signal(SIGTERM)
            guard Inside.disposition(SIGTERM) == 0 else { exit(2) }
            let attachments = (0..<2).map { _ in trigger.attach(clock: SystemClock()) { _ in Inside.fired.happen() } }
            guard Inside.disposition(SIGTERM) > 1 else { exit(3) }
            attachments[0].cancel()
            guard Inside.disposition(SIGTERM) > 1 else { exit(4) }
            attachments[1].cancel()
            guard Inside.disposition(SIGTERM) == 0 else { exit(5) }
            let third = trigger.attach(clock: SystemClock()) { _ in Inside.fired.happen() }
            signal(SIGTERM) { _ in Inside.earlier.add(1, ordering: .relaxed) }
            let theirs = Inside.disposition(SIGTERM)
            third.cancel()
            guard Inside.disposition(SIGTERM) == theirs else { exit(6) }
            // On top of it now: theirs is the earlier one.
            let fourth = trigger.attach(clock: SystemClock()) { _ in Inside.fired.happen() }
            raise(SIGTERM)
            guard Inside.fired.wait(), Inside.earlier.load(ordering: .relaxed) == 1 else { exit(7) }
            fourth.cancel()
            exit(Inside.disposition(SIGTERM) == theirs ? 0 : 8)
        }
    }

    @Test("a later handler that calls ours does not make the two call each other for ever")
    func circle() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            let first = Inside.attach(SIGUSR1) {}
            var ours = sigaction()
            _ = unsafe sigaction(SIGUSR1, nil, &ours)
            unsafe circleHandler = ours.__sigaction_handler.sa_handler
            signal(SIGUSR1) { number in
                Inside.earlier.add(1, ordering: .relaxed)
                unsafe circleHandler?(number)
            }
            first.cancel()
            let second = Inside.attach(SIGUSR1) { Inside.fired.happen() }
            for _ in 0..<3 {
                raise(SIGUSR1)
                guard Inside.fired.wait() else { exit(2) }
            }
            second.cancel()
            exit(Inside.earlier.load(ordering: .relaxed) == 3 ? 0 : 3)
        }
    }

    @Test("a signal that stops the process locks first, and can do so again after it went on", arguments: [SIGTSTP])
    func stopping(number: Int32) async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            // A stop is for groups of processes that somebody can wake.
            setpgid(0, 0)
            let attachment = Inside.attach(SIGTSTP) { Inside.fired.happen() }
            for _ in 0..<2 {
                let waker = Process()
                waker.executableURL = URL(fileURLWithPath: "/bin/sh")
                waker.arguments = [
                    "-c",
                    """
                    for i in $(seq 6000); do
                        if grep -q '^State:.*T (stopped)' /proc/\(getpid())/status; then
                            kill -CONT \(getpid()); exit 0
                        fi
                        sleep 0.01
                    done
                    exit 1
                    """,
                ]
                try waker.run()
                kill(getpid(), SIGTSTP)
                guard Inside.fired.wait() else { exit(2) }
                waker.waitUntilExit()
                guard waker.terminationStatus == 0 else { exit(3) }
                try Background.settle()
            }
            attachment.cancel()
            exit(Inside.disposition(SIGTSTP) == 0 && Inside.fired.count == 2 ? 0 : 4)
        }
    }

    @Test("a forked child dies by the signal as any other, and its parent does not notice")
    func forked() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            let attachment = Inside.attach(SIGUSR1) { Inside.fired.happen() }
            let status = try Child.status {
                raise(SIGUSR1)
                while true { pause() }
            }
            guard status == 128 + SIGUSR1 else { exit(2) }
            try Background.settle()
            exit(Inside.fired.count == 0 && attachment.unavailable == nil ? 0 : 3)
        }
    }

    @Test("a forked child that attaches locks by its own thread, and leaves its parent's handler when it is done")
    func forkedAndAttached() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            signal(SIGUSR1, SIG_IGN)
            // Once before the fork: what the runtime makes at the first use, it makes under locks that a child inherits.
            let before = Occurrences()
            let warm = Inside.attach(SIGWINCH) { before.happen() }
            raise(SIGWINCH)
            guard before.wait(), Inside.disposition(SIGWINCH) != 1 else { exit(5) }
            warm.cancel()
            let attachment = Inside.attach(SIGUSR1) { Inside.fired.happen() }
            let status = try Child.status {
                let seen = Occurrences()
                let own = Inside.attach(SIGUSR1) { seen.happen() }
                attachment.cancel()
                raise(SIGUSR1)
                guard seen.wait() else { return 2 }
                own.cancel()
                return Inside.disposition(SIGUSR1) == 1 ? 0 : 3
            }
            guard status == 0 else { exit(10 + status) }
            raise(SIGUSR1)
            exit(Inside.fired.wait() && Inside.fired.count == 1 ? 0 : 4)
        }
    }

    @Test("no signal is lost while attachments come and go on another thread")
    func hammering() async {
        await #expect(processExitsWith: .success) {
            Inside.begin()
            signal(SIGUSR1) { _ in Inside.earlier.add(1, ordering: .relaxed) }
            let isOver = Atomic<Bool>(false)
            let done = Occurrences()
            Thread.detachNewThread {
                while !isOver.load(ordering: .relaxed) {
                    let attachments = (0..<3).map { _ in Inside.attach(SIGUSR1) { Inside.fired.happen() } }
                    for attachment in attachments { attachment.cancel() }
                }
                done.happen()
            }
            for _ in 0..<20_000 { raise(SIGUSR1) }
            isOver.store(true, ordering: .relaxed)
            guard done.wait() else { exit(2) }
            exit(Inside.earlier.load(ordering: .relaxed) == 20_000 ? 0 : 3)
        }
    }
}

private nonisolated(unsafe) var circleHandler: (@convention(c) (Int32) -> Void)?
