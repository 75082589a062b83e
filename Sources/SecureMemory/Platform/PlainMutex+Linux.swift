internal import Glibc

#if !os(Linux)
    #error("PlainMutex knows Linux only: add a file for this system to this folder")
#endif

/// A lock around a value that also works in a forked child.
///
/// The standard library's `Mutex` does not: it remembers the number of each thread, and in a child the thread that forked
/// goes on under its parent's. As soon as two threads of the child want the lock, the program ends. A lock that another
/// thread held at the moment of the fork stays held in the child, so this stands behind `PerProcess` where that matters.
///
/// The corresponding C functions are `pthread_mutex_lock` and `pthread_mutex_unlock`.
@safe
package struct PlainMutex<Value: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Takes over a value.
    package init(_ value: consuming Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs a closure while no other thread runs one. A closure inside a closure waits for ever.
    package borrowing func withLock<Result: ~Copyable & Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&(unsafe value.pointee))
    }
}
