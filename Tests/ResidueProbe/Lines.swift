internal import Glibc

/// One line out, one line in, past the buffers of the C library.
enum Lines {
    /// Reports a step.
    static func write(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { _ = unsafe Glibc.write(1, $0.baseAddress, $0.count) }
    }

    /// Waits for the parent to have looked.
    static func wait() {
        var byte: UInt8 = 0
        while unsafe read(0, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    }
}
