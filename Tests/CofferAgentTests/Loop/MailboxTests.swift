import CofferAgent
import Testing

@Suite("Mailbox of the loop")
struct MailboxTests {
    @Test("A loop that is asked to end before it waits does not wait, and ends once")
    func endBeforeWaiting() throws {
        let mailbox = try LoopMailbox()
        #expect(!mailbox.takeEnd())
        mailbox.askForEnd()
        // It was awake, so nothing will wake it.
        #expect(!Poller.canRead(mailbox.descriptor, within: 0))
        #expect(!mailbox.fallAsleep())
        #expect(mailbox.takeEnd())
        #expect(!mailbox.takeEnd())
        #expect(mailbox.fallAsleep())
    }

    @Test("A loop that waits is woken to end")
    func endWhileWaiting() throws {
        let mailbox = try LoopMailbox()
        #expect(mailbox.fallAsleep())
        #expect(!Poller.canRead(mailbox.descriptor, within: 0))
        mailbox.askForEnd()
        #expect(Poller.canRead(mailbox.descriptor, within: 0))
        #expect(mailbox.takeEnd())
    }
}
