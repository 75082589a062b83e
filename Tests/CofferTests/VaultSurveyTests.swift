import Coffer
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultFile

/// A look at a file that other programs write into at the same time.
@Suite struct VaultSurveyTests {
    private static let huge: off_t = 1 << 40

    private func survey(
        _ fixture: TemporaryVault, before: @escaping @Sendable (FaultingSystemCalls.Call) -> Void
    ) throws(VaultError) -> (fields: [HeaderField], failure: VaultError?, size: Int) {
        let surroundings = VaultSurroundings(system: FaultingSystemCalls(before: before))
        let survey = try Vault(at: .file(fixture.path), surroundings: surroundings).survey()
        return (survey.header.fields, survey.failure, survey.size)
    }

    @Test("verdict and fields come from one file, though another takes its place meanwhile")
    func replaced() throws {
        let fixture = try TemporaryVault()
        let good = try fixture.bytes()
        let openings = Atomic(0)
        for start in [[UInt8](repeating: 1, count: 100), VaultHeader.magic] {
            try fixture.write(start)
            let found = try survey(fixture) { call in
                guard call == .open else { return }
                if openings.wrappingAdd(1, ordering: .relaxed).newValue > 1 { try? fixture.write(good) }
            }
            #expect(found.failure != nil && found.size == start.count)
            #expect(found.fields.reduce(0) { $0 + $1.width } == start.count)
            #expect(openings.exchange(0, ordering: .relaxed) == 1)
        }
    }

    @Test("a file that is cut short between two looks is looked at again")
    func cutOnce() throws {
        let fixture = try TemporaryVault()
        let good = try fixture.bytes()
        for call in 1...3 {
            try fixture.write(good)
            try #require(unsafe truncate(fixture.path, Self.huge) == 0)
            let reads = Atomic(0)
            let found = try survey(fixture) {
                guard $0 == .read, reads.wrappingAdd(1, ordering: .relaxed).newValue == call else { return }
                _ = unsafe truncate(fixture.path, 20)
            }
            // The first read may still judge the file as it was opened; all that follows is of one moment.
            #expect(found.size == 20 && found.fields.reduce(0) { $0 + $1.width } == 20, "\(call)")
            guard case .damaged = found.failure else {
                Issue.record("\(call): \(String(describing: found.failure))")
                continue
            }
        }
    }

    @Test("a file that never stays the same is an error in the end")
    func neverTheSame() throws {
        let fixture = try TemporaryVault()
        try #require(unsafe truncate(fixture.path, Self.huge) == 0)
        let size = Atomic(Self.huge)
        do throws(VaultError) {
            _ = try survey(fixture) { call in
                guard call == .read else { return }
                _ = unsafe truncate(fixture.path, size.wrappingAdd(1, ordering: .relaxed).newValue)
            }
            Issue.record("it was taken")
        } catch {
            #expect(error == .ioError(step: "read the vault", errno: ESTALE, path: fixture.path))
        }
    }

    @Test("a file that is truncated all the time is shown as it was at one moment, or is an error", arguments: 0..<10)
    func truncatedInALoop(seed: UInt64) throws {
        let fixture = try TemporaryVault()
        let good = try fixture.bytes()
        let sizes: [off_t] = [0, 5, 9, 30, 60, 130, 4_000, off_t(good.count), Self.huge, Self.huge, Self.huge]
        let state = Atomic(seed)
        for _ in 0..<100 {
            do throws(VaultError) {
                let found = try survey(fixture) { call in
                    guard call == .read || call == .status else { return }
                    let number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
                    let choice = Int(((number ^ (number >> 29)) &* 0xBF58_476D_1CE4_E5B9) >> 33)
                    // Each third time nothing happens, so that some looks succeed.
                    if choice % 3 == 0 { return }
                    try? fixture.write(good)
                    _ = unsafe truncate(fixture.path, sizes[choice / 3 % sizes.count])
                }
                #expect(sizes.contains(off_t(found.size)))
                #expect(found.fields.reduce(0) { $0 + $1.width } == found.size)
                if found.size != good.count { #expect(found.failure != nil) }
            } catch {
                #expect(error == .ioError(step: "read the vault", errno: ESTALE, path: fixture.path))
            }
        }
    }
}
