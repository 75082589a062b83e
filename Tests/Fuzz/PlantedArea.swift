import Glibc
import SecureMemory

/// What a fuzzer has to find, to be seen finding: nothing of the program is in it.
enum PlantedArea {
    /// A promise that inputs of one beginning break.
    static func lie(_ input: RawSpan) {
        promise(!input.array.starts(with: Array("LIE".utf8)), "no input begins so")
    }

    /// A byte behind the end of its memory, read for inputs of one beginning; a sanitizer sees it.
    static func overrun(_ input: RawSpan) {
        let bytes = input.array
        guard bytes.starts(with: Array("BIG".utf8)) else { return }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        defer { unsafe copy.deallocate() }
        unsafe copy.initialize(from: bytes, count: bytes.count)
        // Something hangs on it, for the optimiser to leave it there.
        promise(unsafe copy[bytes.count] != bytes[0], "the byte behind the end is another one")
    }

    /// An end that does not come, for inputs of one beginning.
    static func hang(_ input: RawSpan) {
        guard input.array.starts(with: Array("HNG".utf8)) else { return }
        while true { pause() }
    }

    /// Much memory at once, for inputs of one beginning.
    static func allocation(_ input: RawSpan) {
        guard input.array.starts(with: Array("MEM".utf8)) else { return }
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 128 << 20)
        defer { unsafe room.deallocate() }
        unsafe room.initialize(to: 1)
        promise(unsafe room[0] == 1, "memory keeps what it is given")
    }
}
