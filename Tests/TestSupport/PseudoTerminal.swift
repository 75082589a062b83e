import Foundation
import Glibc

/// A terminal for a child process, with a test in the place of the person.
package final class PseudoTerminal {
    /// What was waited for did not come.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    private let master: Int32
    // Held open: the settings of a terminal that nobody has open are reset, and would hide what a child did to them.
    private let slave: Int32
    /// The path of the side that the child opens.
    package let path: String
    /// Everything that the terminal has shown.
    package private(set) var shown = ""
    private var searched = 0

    package init() throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN: what unlockpt(3) and ptsname(3) do.
        var locked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, unsafe ioctl(master, 0x4004_5431, &locked) == 0,
            unsafe ioctl(master, 0x8004_5430, &number) == 0
        else { throw Missing(description: "no pseudo terminal") }
        path = "/dev/pts/\(number)"
        slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Missing(description: "cannot open the terminal") }
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Types something.
    package func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(master, $0.baseAddress, min($0.count, 512)) }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the terminal shows something, after what was waited for before.
    @discardableResult
    package func expect(_ text: String, within seconds: Int = 30) throws -> String {
        let deadline = Date().addingTimeInterval(Double(seconds))
        while true {
            let fresh = String(decoding: Array(shown.utf8).dropFirst(searched), as: UTF8.self)
            if let range = fresh.range(of: text) {
                searched += fresh[..<range.upperBound].utf8.count
                return String(fresh[..<range.lowerBound])
            }
            guard Date() < deadline, read(waiting: 100) else {
                throw Missing(description: "\(text.debugDescription) was not shown, but \(fresh.debugDescription)")
            }
        }
    }

    /// Reads what is shown until nothing comes for a while.
    package func drain() {
        var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, 50) > 0, read(waiting: 0) {}
    }

    // False when the other side is closed for good.
    private func read(waiting milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return true }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(master, &bytes, bytes.count)
        guard count > 0 else { return false }
        shown += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }

    /// Whether the terminal shows what is typed.
    package var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Makes the terminal show what is typed, as another program could.
    package func showInput() {
        var settings = termios()
        guard unsafe tcgetattr(master, &settings) == 0 else { return }
        settings.c_lflag |= tcflag_t(ECHO)
        _ = unsafe tcsetattr(master, TCSANOW, &settings)
    }

    /// Waits until the terminal shows what is typed, or does not.
    package func waitForEcho(_ expected: Bool, within seconds: Int = 10) -> Bool {
        for _ in 0..<seconds * 100 {
            if echoes == expected { return true }
            usleep(10_000)
        }
        return false
    }

    /// Starts a program on the terminal.
    package func start(
        _ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(program, arguments, environment: environment, descriptors: descriptors, terminal: path)
    }

    /// What was typed and nobody has read, unfinished lines included.
    package func unreadInput() -> [UInt8] {
        var before = termios()
        _ = unsafe tcgetattr(slave, &before)
        var settings = before
        settings.c_lflag &= ~tcflag_t(ICANON)
        _ = unsafe tcsetattr(slave, TCSANOW, &settings)
        var all: [UInt8] = []
        var entry = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, 200) > 0 {
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = unsafe Glibc.read(slave, &bytes, bytes.count)
            if count <= 0 { break }
            all += bytes[..<count]
        }
        _ = unsafe tcsetattr(slave, TCSANOW, &before)
        return all
    }
}
