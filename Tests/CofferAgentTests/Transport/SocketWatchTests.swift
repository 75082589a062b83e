import CofferAgent
import Foundation
import Synchronization
import Testing

@Suite("Watch of the agent's socket")
struct SocketWatchTests {
    private static func losses(_ path: String, of own: SocketIdentity) -> Int {
        let count = Mutex(0)
        let watch = SocketWatch(path, of: own) { count.withLock { $0 += 1 } }
        watch.cancel()
        return count.withLock { $0 }
    }

    @Test("A socket that went, or was replaced, before it was watched is lost")
    func goneBefore() throws {
        let place = try TestPlace()
        let path = "\(place.root)/agent.sock"
        try Data().write(to: URL(filePath: path))
        let own = try #require(SocketIdentity(path))
        #expect(Self.losses(path, of: own) == 0)
        // The number of a file that is gone may be given to the next one.
        try FileManager.default.moveItem(atPath: path, toPath: "\(place.root)/away")
        #expect(Self.losses(path, of: own) == 1)
        try Data().write(to: URL(filePath: path))
        #expect(Self.losses(path, of: own) == 1)
    }
}
