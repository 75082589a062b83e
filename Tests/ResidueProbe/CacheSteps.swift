internal import Coffer
internal import Glibc

/// What the tests have a memory cache do, one step for each line.
struct CacheSteps {
    let cache = MemoryCache()

    private struct Unknown: Error {}

    /// Does the steps until the tests let go. Each is answered with `ok`, or with the error, which carries no value.
    func run() {
        Lines.write("ready")
        while let line = Lines.read() {
            let words = line.split(separator: " ").map(String.init)
            do {
                try step(words[0], words.count > 1 ? words[1] : "")
                Lines.write("ok")
            } catch {
                Lines.write("\(error)")
            }
        }
    }

    private func step(_ verb: String, _ name: String) throws {
        switch verb {
        case "set": try cache.set(name, to: try Secret(readingLineFrom: 0))
        case "set-short": try cache.set(name, to: try Secret(readingLineFrom: 0), lifetime: .milliseconds(50))
        case "read":
            let sum = cache.withBytes(of: name) { bytes in
                (0..<bytes.byteCount).reduce(0) { $0 &+ Int(bytes[$1]) }
            }
            guard sum != nil, try cache.secret(for: name) != nil else { throw Unknown() }
        // Asks for nothing that would drop what has expired: the timer has to.
        case "wait": while cache.nonZeroCount > 0 { usleep(10_000) }
        case "remove": cache.remove(name)
        case "clear": cache.removeAll()
        default: throw Unknown()
        }
    }
}
