import Coffer
import Foundation
import TestSupport
import Testing

@Suite struct ProcessTests {
    @Test("two processes that each add one to a number 200 times add 400")
    func concurrentProcesses() throws {
        let place = try TemporaryVault()
        let passphrase = TemporaryVault.passphrase + "\n"
        let first = try BuiltProgram.start("UpdateProbe", [place.path, "200"], input: passphrase)
        let second = try BuiltProgram.start("UpdateProbe", [place.path, "200"], input: passphrase)
        for process in [first, second] {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(try place.unlocked()[SettingKey("count", default: 0)] == 400)
        #expect(try place.files() == [".test.coffer.lock", "test.coffer"])
    }
}
