import CofferAgent
import PropertyLists
import Testing

@Suite("The list of an agent")
struct ListingTests {
    private enum Problem: Error {
        case nonsense
    }

    /// Reads a list of one name a page: so many pages, each of a name of so many letters.
    private static func read(pages: Int, letter: String, count: Int) throws -> (entries: Int?, asked: Int) {
        let filler = String(repeating: letter, count: count)
        var asked = 0
        do throws(Problem) {
            let listing = try AgentListing.read(orThrow: Problem.nonsense) { _ throws(Problem) in
                asked += 1
                let entry = AgentEntry(name: "\(1_000 + asked)\(filler)", kind: .string, modified: nil)
                return .list(generation: 1, entries: [entry], hasMore: asked < pages, now: 0)
            }
            return (listing?.entries.count, asked)
        } catch {
            return (nil, asked)
        }
    }

    @Test("names that take less room in a vault are listed, though they are longer here")
    func wideNames() throws {
        // Each character takes three bytes here, and two in the vault: 60 MiB there, 90 MiB here.
        let found = try Self.read(pages: 30, letter: "\u{20AC}", count: 1 << 20)
        #expect(found.entries == 30)
    }

    @Test("names without an end are no list of a vault")
    func endlessNames() throws {
        let found = try Self.read(pages: 1_000, letter: "n", count: 1 << 20)
        #expect(found.entries == nil)
        #expect(found.asked == 96)
    }
}
