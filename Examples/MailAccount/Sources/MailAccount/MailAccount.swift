import Coffer
import Glibc

/// Opens the account, asks for messages twice with one sign-in, and locks.
///
/// Descriptor 3 gives the passphrase, and descriptor 4 the password if none is kept yet; a window would ask for both.
@main
struct MailAccount {
    static func main() async {
        // Before any secret is read.
        ProcessHardening.apply()
        do {
            try await run()
        } catch let error as VaultError {
            fail(explain(error))
        } catch {
            fail("the server refused the password")
        }
    }

    private static func run() async throws {
        let account = Account()
        let changes = Task { [events = account.vault.events()] in await follow(events) }

        switch try await account.open(try Secret(readingLineFrom: 3)) {
        case .firstRun: print("welcome: this is the first run")
        case .existing: print("welcome back")
        }
        if try account.needsPassword {
            try account.remember(try Secret(readingLineFrom: 4))
        }
        print("account: \(account.summary)")

        let server = Server()
        for _ in 1...2 {
            let count = try account.withAccessToken(server) { token in try server.messageCount(token) }
            print("\(count) messages")
        }
        print("account: \(account.summary)")

        // A desktop app would fire this when its session is told of a locked screen.
        account.screenLocked.fire()
        print("the screen is locked; account: \(account.summary), \(account.tokenCount) tokens")
        do {
            _ = try account.withAccessToken(server) { token in try server.messageCount(token) }
        } catch let error as VaultError {
            print("messages? \(explain(error))")
        }
        await changes.value
    }

    /// Tells what happens to the vault, until it is locked. A window would show its fields anew.
    private static func follow(_ events: VaultEvents) async {
        for await event in events {
            switch event {
            case .changed(let names): print("  changed: \(names.joined(separator: ", "))")
            case .changedUnspecified, .missed: print("  changed: much")
            case .lockState(.locked): return print("  locked")
            case .lockState: print("  unlocked")
            }
        }
    }

    private static func fail(_ message: String) -> Never {
        print("MailAccount: \(message)")
        exit(1)
    }
}
