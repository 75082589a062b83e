package import Coffer
internal import Foundation
internal import Synchronization

/// Counts what happens on other threads, and waits for it.
package final class Occurrences: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let number = Mutex(0)

    package init() {}

    /// How often it happened.
    package var count: Int { number.withLock { $0 } }

    /// It happens.
    package func happen() {
        number.withLock { $0 += 1 }
        semaphore.signal()
    }

    /// Waits for the next one that was not waited for; false if it does not come for a long time.
    package func wait() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }
}

/// What a test sends to the background thread.
package enum Background {
    /// Waits until the thread has seen all that was there before this call.
    package static func settle() throws {
        // What is ready together comes in any order: the second round is behind all of the first.
        for _ in 0..<2 {
            let ends = try ChildProcess.pipe()
            let seen = Occurrences()
            let registration = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLHUP)) { _ in seen.happen() }
            close(ends.write)
            guard seen.wait() else { throw ChildProcess.Failure(call: "settle", number: ETIMEDOUT) }
            registration.cancel()
        }
    }

    /// Runs something while the thread is held up, so that all it does comes together.
    package static func held(_ body: () throws -> Void) throws {
        let ends = try ChildProcess.pipe()
        let (begun, released) = (Occurrences(), DispatchSemaphore(value: 0))
        let registration = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLHUP)) { _ in
            // Ready it stays, until it is cancelled.
            guard begun.count == 0 else { return }
            begun.happen()
            released.wait()
        }
        close(ends.write)
        defer {
            registration.cancel()
            released.signal()
        }
        guard begun.wait() else { throw ChildProcess.Failure(call: "held", number: ETIMEDOUT) }
        try body()
    }
}

/// A pipe in the place of a descriptor of the kernel's.
package final class NoticePipe: Sendable {
    package let notice: TriggerSurroundings.Notice
    private let write: Int32
    private let isOpen = Mutex(true)

    package init(_ text: String = "") throws {
        let ends = try ChildProcess.pipe()
        notice = TriggerSurroundings.Notice(descriptor: ends.read, events: Int16(POLLIN))
        write = ends.write
        if !text.isEmpty { tell(text) }
    }

    deinit { end() }

    /// Something happens, and the file now holds this.
    package func tell(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Foundation.write(write, bytes, bytes.count)
    }

    /// The file is gone.
    package func end() {
        isOpen.withLock {
            if $0 { close(write) }
            $0 = false
        }
    }
}
