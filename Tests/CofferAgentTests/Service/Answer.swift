import Coffer
import CofferAgent
import Foundation
import PropertyLists
import SecureMemory
import Synchronization
import TestSupport
import Testing

/// A reply as something that can be compared.
enum Answer: Equatable, Sendable {
    case hello(UInt32, AgentMemory)
    case done
    case status([AgentVaultStatus])
    case epoch(UInt64)
    case value(generation: UInt64, list: [UInt8]?)
    case list(generation: UInt64, entries: [AgentEntry], hasMore: Bool)
    case changed(generation: UInt64, before: [PropertyListKind?])
    case details(AgentDetails)
    case failure(AgentFailure)

    init(_ reply: consuming AgentReply) {
        switch consume reply {
        case .hello(let version, let memory): self = .hello(version, memory)
        case .done: self = .done
        case .status(let vaults): self = .status(vaults)
        case .epoch(let number): self = .epoch(number)
        case .value(let generation, let list):
            switch consume list {
            case .some(let list): self = .value(generation: generation, list: list.bytes.array)
            case .none: self = .value(generation: generation, list: nil)
            }
        case .list(let generation, let entries, let hasMore, _):
            self = .list(generation: generation, entries: entries, hasMore: hasMore)
        case .changed(let generation, let outcomes, _):
            self = .changed(generation: generation, before: outcomes.map(\.before))
        case .details(let details): self = .details(details)
        case .failure(let failure): self = .failure(failure)
        }
    }

    static let locked = Answer.failure(.vault(.locked))

    /// The text of a value that is a string.
    var text: String? {
        guard case .value(_, let list?) = self else { return nil }
        guard case .string(let text)? = try? PlainValue(0, of: PropertyListReader(trusted: list.rawSpan)) else {
            return nil
        }
        return text
    }
}

/// A reply that may come later.
final class Pending: Sendable {
    private let answer = Mutex<Answer?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func take(_ reply: consuming AgentReply) {
        let found = Answer(reply)
        answer.withLock { answer in
            #expect(answer == nil, "a request is answered once")
            answer = found
        }
        semaphore.signal()
    }

    /// The reply, if it is there.
    var now: Answer? { answer.withLock { $0 } }

    /// The reply, when it comes.
    func wait() throws -> Answer {
        _ = semaphore.wait(timeout: .now() + 60)
        semaphore.signal()
        return try #require(now)
    }
}
