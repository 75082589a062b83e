// Many threads use one vault at once for some time: reads, updates, locks, unlocks, dropped copies, a cache, observers.
// It ends with 1 if an update was lost, a read showed what was older than a save that had returned, or anything was read
// after a lock had returned.

internal import Coffer
internal import Foundation
internal import VaultFile

let arguments = CommandLine.arguments
guard arguments.count == 3, let seconds = Double(arguments[1]), let threads = Int(arguments[2]) else {
    print("usage: StressProbe SECONDS THREADS")
    exit(2)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coffer-stress-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let stress = try Stress(at: folder.appendingPathComponent("stress.coffer").path, until: seconds)
let observers = (0..<2).map { _ in Task.detached { await stress.observe() } }
let running = DispatchGroup()
for number in 0..<threads {
    running.enter()
    let thread = Thread {
        stress.run(number)
        running.leave()
    }
    thread.start()
}
running.wait()
let failures = stress.finish()
for observer in observers { observer.cancel() }
try FileManager.default.removeItem(at: folder)
print(stress.summary)
for failure in failures.prefix(20) { print("FAILED: \(failure)") }
exit(failures.isEmpty ? 0 : 1)
