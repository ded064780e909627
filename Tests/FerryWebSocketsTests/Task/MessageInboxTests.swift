import Testing

@testable import FerryCore
@testable import FerryWebSockets

struct MessageInboxTests {
    @Test("Messages come out in order, and taken ones are released although some always wait")
    func backlog() {
        var inbox = MessageInbox()
        var (added, taken) = (0, 0)
        func message(_ number: Int) -> WebSocketTask.Message { .string("\(number)") }
        for _ in 0..<10 {
            #expect(inbox.add(message(added)) == nil)
            added += 1
        }
        for _ in 0..<100_000 {
            _ = inbox.add(message(added))
            added += 1
            guard case .string(let text) = inbox.take(), text == "\(taken)" else {
                Issue.record("Message \(taken) is missing")
                return
            }
            taken += 1
        }
        #expect(inbox.messages.slots.count < 200)
    }

    @Test("A reader that has waited is known, also when it waits no more")
    func waiting() async {
        var inbox = MessageInbox()
        let before = inbox.changes
        #expect(!inbox.hasWaited(since: before))
        await withCheckedContinuation { reader in
            inbox.wait(reader)
            #expect(inbox.hasWaited(since: inbox.changes))
            inbox.takeRoom()?.resume()
        }
        #expect(inbox.hasWaited(since: before))
        #expect(!inbox.hasWaited(since: inbox.changes))
    }
}
