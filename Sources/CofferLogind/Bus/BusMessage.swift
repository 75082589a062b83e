internal import CSystemd
internal import Glibc

/// A message of the bus, read from its first field to its last.
@safe
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over a message.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { _ = unsafe sd_bus_message_unref(pointer) }

    /// The name, of the bus's own making, of the connection that sent it.
    var sender: String? { unsafe Self.string(sd_bus_message_get_sender(pointer)) }

    /// The object that it is of.
    var path: String? { unsafe Self.string(sd_bus_message_get_path(pointer)) }

    /// Whether it is this signal.
    func isSignal(_ interface: String, _ member: String) -> Bool {
        unsafe sd_bus_message_is_signal(pointer, interface, member) > 0
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        return unsafe String(cString: text)
    }

    // MARK: Fields

    /// The next field, if it is text or the path of an object.
    func string(_ type: UnicodeScalar = "s") -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(pointer, Self.code(type), &text) > 0 else { return nil }
        return unsafe Self.string(text)
    }

    /// The next field, if it is a truth value.
    func boolean() -> Bool? {
        var value: Int32 = 0
        guard unsafe sd_bus_message_read_basic(pointer, Self.code("b"), &value) > 0 else { return nil }
        return value != 0
    }

    /// The next field, if it is a number of 32 bits without a sign.
    func number() -> UInt32? {
        var value: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(pointer, Self.code("u"), &value) > 0 else { return nil }
        return value
    }

    /// The next field, if it is a descriptor; it stays the message's.
    func descriptor() -> Int32? {
        var value: Int32 = -1
        guard unsafe sd_bus_message_read_basic(pointer, Self.code("h"), &value) > 0 else { return nil }
        return value
    }

    /// Goes into the next field: an array `a`, a variant `v`, a structure `r`, an entry `e`.
    ///
    /// - Returns: false at the end of an array, and if the field is something else.
    func enter(_ type: UnicodeScalar, _ contents: String) -> Bool {
        unsafe sd_bus_message_enter_container(pointer, Self.code(type), contents) > 0
    }

    /// Goes back to what stands after the field that was entered. All of that must have been read.
    func leave() -> Bool { unsafe sd_bus_message_exit_container(pointer) >= 0 }

    /// Passes over a field.
    func skip(_ types: String) -> Bool { unsafe sd_bus_message_skip(pointer, types) >= 0 }

    private static func code(_ type: UnicodeScalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}
