import Coffer
import CofferAgent
import PropertyLists
import SecureMemory
import Testing

@Suite("Budget of frames")
struct BudgetTests {
    private static func budget(incoming: Int = 1 << 20, outgoing: Int = 1 << 20) -> FrameBudget {
        var limits = AgentLimits()
        limits.incomingBytes = incoming
        limits.outgoingBytes = outgoing
        limits.smallFrame = 16 << 10
        return FrameBudget(limits)
    }

    @Test("A frame is charged with whole pages, and once however it grows")
    func growth() {
        var budget = Self.budget()
        var charge = 0
        for count in [1, 4_064, 16_256, 65_024] {
            #expect(budget.reserve(count, charge: &charge))
            #expect(charge == GuardedBuffer.footprint(of: count))
            #expect(budget.incoming == charge)
        }
        budget.discharge(&charge)
        #expect(charge == 0)
        #expect(budget.incoming == 0)
        budget.discharge(&charge)
        #expect(budget.incoming == 0)
    }

    @Test("Large frames have room up to the limit and no further")
    func large() {
        let size = 100_000
        let footprint = GuardedBuffer.footprint(of: size)
        var budget = Self.budget(incoming: 2 * footprint)
        var (first, second, third) = (0, 0, 0)
        #expect(budget.reserve(size, charge: &first))
        #expect(budget.reserve(size, charge: &second))
        #expect(!budget.reserve(size, charge: &third))
        #expect(third == 0)
        #expect(budget.incoming == 2 * footprint)
        // What one has already is not counted twice when it grows.
        #expect(budget.reserve(size, charge: &second))
        #expect(!budget.reserve(2 * size, charge: &second))
        #expect(second == footprint)
        budget.discharge(&first)
        #expect(budget.reserve(size, charge: &third))
    }

    @Test("A small frame has room whatever the others take, and counts among them")
    func small() {
        var budget = Self.budget(incoming: 0)
        var (small, large) = (0, 0)
        #expect(budget.isSmall(16 << 10))
        #expect(!budget.isSmall((16 << 10) + 1))
        #expect(budget.reserve(16 << 10, charge: &small))
        #expect(!budget.reserve((16 << 10) + 1, charge: &large))
        #expect(budget.incoming == GuardedBuffer.footprint(of: 16 << 10))
    }

    @Test("Replies have room until the limit is reached, and again when one has gone")
    func replies() {
        var budget = Self.budget(outgoing: 10_000)
        #expect(budget.hasRoomForReplies)
        budget.begin(reply: 9_999)
        #expect(budget.hasRoomForReplies)
        budget.begin(reply: 8_192)
        #expect(!budget.hasRoomForReplies)
        budget.end(reply: 8_191)
        #expect(!budget.hasRoomForReplies)
        budget.end(reply: 1)
        #expect(budget.hasRoomForReplies)
        #expect(budget.outgoing == 9_999)
        #expect(budget.incoming == 0)
    }

    @Test("The longest replies that wait for no room, and the longest report, are as short as the limits say")
    func longest() throws {
        let text = String(repeating: "/", count: AgentProtocol.maximumPath)
        let warnings: [VaultWarning] = [
            .weakKeyDerivation(passes: 1, memoryKiB: 1), .readableByOthers(permissions: 1), .groupNotKept,
            .syncedEverything, .triggerUnavailable(name: "memoryPressure", errno: 1), .timerUnavailable,
            .fileNotWatched(errno: 1), .freshnessNotRemembered(errno: 1, path: text),
        ]
        let outcomes = Array(repeating: AgentOutcome(before: .dictionary), count: AgentProtocol.maximumSteps)
        let changed = try AgentReply.changed(generation: .max, outcomes: outcomes, warnings: warnings).encode()
        #expect(GuardedBuffer.footprint(of: changed.capacity) < 36 << 10)
        let mismatch = VaultError.typeMismatch(name: text, expected: "dictionary", found: "dictionary")
        let failure = try AgentReply.failure(.vault(mismatch)).encode()
        #expect(GuardedBuffer.footprint(of: failure.capacity) < 36 << 10)
        let vault = AgentVaultStatus(
            path: text, lockState: .unlocked, idleLeft: .seconds(1), maximumLeft: .seconds(1), isMemoryLocked: true,
            warnings: warnings)
        let report = try AgentReply.status(Array(repeating: vault, count: 32)).encode()
        #expect(GuardedBuffer.footprint(of: report.capacity) < 1 << 20)
    }
}
