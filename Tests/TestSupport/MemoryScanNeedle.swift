internal import Glibc

extension MemoryScan {
    /// One byte string to look for.
    struct Needle: Sendable {
        /// A place, with the address where the whole value would begin.
        struct Match {
            let form: Form
            let address: UInt
            let length: Int
        }

        let secret: String
        let form: Form
        let bytes: [UInt8]
        /// The value that `bytes` is a piece of, and where in it.
        let whole: [UInt8]
        let offset: Int

        /// Every spelling of a value.
        ///
        /// Any 16 bytes in a row of the value hold one of its 8-byte pieces at a multiple of 8, so those are looked
        /// for and then grown on both sides.
        static func all(_ secret: String, _ value: [UInt8]) -> [Needle] {
            precondition(value.count >= 16, "a value of under 16 bytes is found by chance")
            var needles = stride(from: 0, through: value.count - 8, by: 8).map { offset in
                Needle(
                    secret: secret, form: .raw, bytes: Array(value[offset..<offset + 8]), whole: value, offset: offset)
            }
            func add(_ form: Form, _ bytes: [UInt8]) {
                needles.append(Needle(secret: secret, form: form, bytes: bytes, whole: bytes, offset: 0))
            }
            add(.utf16, value.flatMap { [$0, 0] }.dropLast())
            for alignment in 0..<3 { add(.base64, base64(value, alignment)) }
            add(.hexLower, hex(value, Array("0123456789abcdef".utf8)))
            add(.hexUpper, hex(value, Array("0123456789ABCDEF".utf8)))
            return needles
        }

        private static func hex(_ value: [UInt8], _ digits: [UInt8]) -> [UInt8] {
            value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }

        // The letters that do not depend on what stands before (0, 1 or 2 bytes) and after the value.
        private static func base64(_ value: [UInt8], _ before: Int) -> [UInt8] {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
            let bytes = [UInt8](repeating: 0, count: before) + value
            let letters = (0..<bytes.count * 8 / 6).map { index in
                var number = 0
                for bit in index * 6..<index * 6 + 6 {
                    number = number << 1 | Int(bytes[bit / 8] >> (7 - bit % 8)) & 1
                }
                return alphabet[number]
            }
            return Array(letters.dropFirst((before * 8 + 5) / 6))
        }

        /// Calls `found` for every place in the bytes; `address` is that of the first byte.
        func find(in memory: UnsafeRawBufferPointer, at address: UInt, found: (Match) -> Void) {
            guard let base = memory.baseAddress else { return }
            var place = 0
            while place <= memory.count - bytes.count,
                let hit = unsafe Self.search(base + place, memory.count - place, bytes, bytes.count)
            {
                let at = unsafe UnsafeRawPointer(hit) - base
                place = at + 1
                let match = unsafe grow(in: memory, from: at)
                if match.count == whole.count || match.count >= 16 {
                    let form = match.count == whole.count ? form : .fragment
                    found(Match(form: form, address: address &+ UInt(at) &- UInt(offset), length: match.count))
                }
            }
        }

        // memmem(3) hides behind _GNU_SOURCE, so Swift does not see it; a loop of ours would be slow in a debug build.
        private typealias Search =
            @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?
        private static let search: Search = unsafe unsafeBitCast(dlsym(nil, "memmem"), to: Search.self)

        private func grow(in memory: UnsafeRawBufferPointer, from at: Int) -> Range<Int> {
            var first = at
            while first > 0, offset - (at - first) > 0, unsafe memory[first - 1] == whole[offset - (at - first) - 1] {
                first -= 1
            }
            var end = at + bytes.count
            while end < memory.count, offset + end - at < whole.count, unsafe memory[end] == whole[offset + end - at] {
                end += 1
            }
            return first..<end
        }
    }
}
