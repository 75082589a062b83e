internal import Glibc

#if !os(Linux)
    #error("Room knows Linux only: add a file for this system to this folder")
#endif

/// Whether ordinary memory can be had: a Swift array cannot say that there is none, and ends the process.
enum Room {
    // Less than this comes out of what the process has already.
    private static let least = 65536

    /// Asks the system for memory and gives it back; an allocation of that size then finds room.
    ///
    /// The corresponding C function is `mmap`. (A compiler may take a `malloc` that is not used for one that succeeds.)
    ///
    /// - Throws: `outOfMemory`.
    static func check(bytes: Int) throws(PropertyListError) {
        guard bytes >= least else { return }
        // The allocator and the array keep something beside the bytes.
        let length = bytes + 4 * Int(getpagesize())
        let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw PropertyListError(.outOfMemory) }
        unsafe munmap(start, length)
    }
}

extension Array {
    /// Makes room for more elements, doubling what there is.
    ///
    /// - Throws: `outOfMemory`.
    mutating func makeRoom(for additional: Int = 1) throws(PropertyListError) {
        guard additional > capacity - count else { return }
        let wanted = Swift.max(count + additional, 2 * capacity, 16)
        try Room.check(bytes: wanted * MemoryLayout<Element>.stride)
        reserveCapacity(wanted)
    }
}
