internal import Synchronization

/// An object that each process has one of: a forked child makes its own, and leaves its parent's alone.
///
/// A lock that another thread held at the moment of the fork stays held in the child for ever. What such locks guard
/// therefore stands behind this, which takes none. In a child the parent's object is never touched and never freed.
@safe
package final class PerProcess<Object: AnyObject & Sendable>: Sendable {
    private final class Box: Sendable {
        let owner = ProcessToken.current
        let object: Object

        init(_ object: Object) { self.object = object }
    }

    // The address of a retained box, or 0.
    private let current = Atomic<UInt>(0)
    private let make: @Sendable () -> Object

    /// Names what each process makes for itself; nothing is made yet.
    ///
    /// - Parameter make: makes the object of a process, when it is first asked for. Of two made at once, one is dropped.
    package init(_ make: @escaping @Sendable () -> Object) { self.make = make }

    deinit {
        guard let box = unsafe Self.box(at: current.load(ordering: .acquiring)) else { return }
        if unsafe box.takeUnretainedValue().owner == ProcessToken.current { unsafe box.release() }
    }

    /// The object of this process, made now if there is none.
    package var object: Object {
        while true {
            let before = current.load(ordering: .acquiring)
            if let object = Self.object(at: before) { return object }
            let box = Box(make())
            let made = unsafe Unmanaged.passRetained(box)
            let address = unsafe UInt(bitPattern: made.toOpaque())
            if current.compareExchange(expected: before, desired: address, ordering: .acquiringAndReleasing).exchanged {
                return box.object
            }
            unsafe made.release()
        }
    }

    /// The object of this process, or nil when it never asked for one.
    package var existing: Object? { Self.object(at: current.load(ordering: .acquiring)) }

    // The box of a child's parent is left where it is: what it holds may be locked.
    private static func object(at address: UInt) -> Object? {
        guard let box = unsafe box(at: address)?.takeUnretainedValue(), box.owner == ProcessToken.current else {
            return nil
        }
        return box.object
    }

    private static func box(at address: UInt) -> Unmanaged<Box>? {
        unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
    }
}
