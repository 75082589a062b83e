internal import Glibc

/// Lines from the tests and to them, past the buffers of the C library.
enum Lines {
    /// Reports a step.
    static func write(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { _ = unsafe Glibc.write(1, $0.baseAddress, $0.count) }
    }

    /// The next line, which is no secret; none when the tests let go.
    static func read() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe Glibc.read(0, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
