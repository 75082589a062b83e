internal import CSystemd
internal import Glibc

/// A connection to the system bus, for one thread.
@safe
struct SystemBus: ~Copyable {
    /// Where a method stands.
    struct Object {
        let destination: String
        let path: String
        let interface: String

        /// The bus itself.
        static let bus = Object(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    }

    /// What there is to do on the bus.
    enum Progress: ~Copyable {
        case message(BusMessage)
        /// Something was done that is not ours to know.
        case internalStep
        /// Nothing, until the descriptor is ready.
        case nothing
    }

    // How long an answer may take, in microseconds: a machine that is about to sleep waits five seconds for all.
    static let patience: UInt64 = 4_000_000

    private let bus: OpaquePointer

    /// Connects to the bus that `$DBUS_SYSTEM_BUS_ADDRESS` names, or the usual one.
    init() throws(BusError) {
        var opened: OpaquePointer?
        let result = unsafe sd_bus_open_system(&opened)
        guard result >= 0, let opened = unsafe opened else {
            throw BusError("connect to the system bus", code: result)
        }
        unsafe bus = opened
    }

    deinit { _ = unsafe sd_bus_flush_close_unref(bus) }

    /// Calls a method whose arguments are text, and waits for the answer.
    func call(
        _ method: String, of object: Object, _ arguments: [String], microseconds: UInt64 = patience
    ) throws(BusError) -> BusMessage {
        let step = "call \(object.interface).\(method)"
        var created: OpaquePointer?
        let result = unsafe sd_bus_message_new_method_call(
            bus, &created, object.destination, object.path, object.interface, method)
        guard result >= 0, let created = unsafe created else { throw BusError(step, code: result) }
        let request = unsafe BusMessage(created)
        for argument in arguments {
            let result = unsafe argument.withCString { text in
                unsafe sd_bus_message_append_basic(request.pointer, CChar(UInt8(ascii: "s")), text)
            }
            guard result >= 0 else { throw BusError(step, code: result) }
        }
        return try send(request, step, microseconds)
    }

    private func send(
        _ request: borrowing BusMessage, _ step: String, _ microseconds: UInt64
    ) throws(BusError) -> BusMessage {
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        var answer: OpaquePointer?
        let result = unsafe sd_bus_call(bus, request.pointer, microseconds, &error, &answer)
        if result >= 0, let answer = unsafe answer { return unsafe BusMessage(answer) }
        guard let name = unsafe error.name else { throw BusError(step, code: result) }
        let message = unsafe error.message.map { unsafe String(cString: $0) }
        throw BusError(step, name: unsafe String(cString: name), message: message)
    }

    /// Asks the bus for signals from now on.
    func subscribe(to rule: String) throws(BusError) {
        _ = try call("AddMatch", of: .bus, [rule])
    }

    /// Does the next thing that can be done without waiting.
    ///
    /// - Throws: when the connection is no more.
    func next() throws(BusError) -> Progress {
        var pointer: OpaquePointer?
        let result = unsafe sd_bus_process(bus, &pointer)
        guard result >= 0 else { throw BusError("read from the system bus", code: result) }
        guard let pointer = unsafe pointer else { return result > 0 ? .internalStep : .nothing }
        let message = unsafe BusMessage(pointer)
        // The library's own way to say so.
        guard !message.isSignal("org.freedesktop.DBus.Local", "Disconnected") else {
            throw BusError("read from the system bus", code: ECONNRESET)
        }
        return .message(message)
    }

    /// Waits until there is something to do, or another descriptor can be read.
    ///
    /// - Parameters:
    ///   - other: the other descriptor.
    ///   - milliseconds: how long at most; -1 for ever.
    /// - Returns: whether the other descriptor can be read.
    func wait(or other: Int32, atMost milliseconds: Int32) -> Bool {
        let events = unsafe sd_bus_get_events(bus)
        var descriptors = [
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: max(events, 0)), revents: 0),
        ]
        let own = timeout
        let limit = milliseconds < 0 ? own : own < 0 ? milliseconds : min(own, milliseconds)
        let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), limit)
        return ready > 0 && descriptors[0].revents != 0
    }

    /// How long the library lets us wait, in milliseconds; -1 for ever.
    private var timeout: Int32 {
        var deadline: UInt64 = .max
        guard unsafe sd_bus_get_timeout(bus, &deadline) >= 0, deadline != .max else { return -1 }
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let passed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        guard deadline > passed else { return 0 }
        return Int32(clamping: (deadline - passed) / 1_000 + 1)
    }
}
