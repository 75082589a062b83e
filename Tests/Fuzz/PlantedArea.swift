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
}
