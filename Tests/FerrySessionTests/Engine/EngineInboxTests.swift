import Testing

@testable import FerrySession

/// Who has the engine, step by step.
@Suite
struct EngineInboxTests {
    private func startedInbox(isListening: Bool = true) -> Inbox {
        let inbox = Inbox()
        #expect(inbox.add() == .startThread)
        #expect(inbox.take() == 1)
        #expect(inbox.park(isListening: isListening))
        return inbox
    }

    @Test("The first command starts the thread, the others of a burst leave it alone") func burst() {
        let inbox = Inbox()
        #expect(inbox.add() == .startThread)
        #expect(inbox.add() == .done)
        #expect(inbox.take() == 2)
        #expect(inbox.add() == .wakeThread)
        #expect(inbox.add() == .done)
        #expect(!inbox.mayWait(isIdle: false))
        #expect(!inbox.park(isListening: true))
    }

    @Test("A sleeping engine is lent to one at a time, and others leave their commands") func loan() {
        let inbox = startedInbox()
        #expect(inbox.add() == .carryOut)
        #expect(!inbox.comeBack(), "The thread must not touch a lent engine")
        #expect(inbox.add() == .done)
        #expect(inbox.giveBack(isIdle: true, isHeard: true), "Somebody has left a command")
        #expect(inbox.comeBack())
        #expect(inbox.take() == 1)
    }

    @Test("A command that may not be carried out anywhere wakes the thread, and the engine is lent to nobody")
    func thread() {
        let inbox = startedInbox()
        #expect(inbox.add(mayBeCarriedOut: false) == .wakeThread)
        #expect(inbox.add() == .done)
        #expect(inbox.comeBack())
    }

    @Test(
        "The thread sleeps on after a loan where nothing is under way, or where it hears what comes",
        arguments: [
            // listening, idle, heard, must wake, may be lent again
            (true, true, false, false, true), (false, true, false, false, true),
            (true, false, true, false, false), (true, false, false, true, false),
            (false, false, true, true, false), (false, false, false, true, false),
        ]
    )
    func end(isListening: Bool, isIdle: Bool, isHeard: Bool, mustWake: Bool, isLentAgain: Bool) {
        let inbox = startedInbox(isListening: isListening)
        #expect(inbox.add() == .carryOut)
        #expect(inbox.giveBack(isIdle: isIdle, isHeard: isHeard) == mustWake)
        let next: EngineInbox.Delivery = isLentAgain ? .carryOut : mustWake ? .done : .wakeThread
        #expect(inbox.add() == next)
    }

    @Test("A thread that has come back once during a loan hears nothing more and must be woken") func missed() {
        let inbox = startedInbox()
        #expect(inbox.add() == .carryOut)
        #expect(!inbox.comeBack())
        #expect(inbox.giveBack(isIdle: false, isHeard: true))
    }

    @Test("A thread that was woken by a loan's end waits for its connections, and is woken for the next command")
    func woken() {
        let inbox = startedInbox()
        #expect(inbox.add() == .carryOut)
        #expect(inbox.giveBack(isIdle: false, isHeard: false))
        #expect(inbox.add() == .done)
        #expect(inbox.comeBack())
        #expect(!inbox.mayWait(isIdle: false))
        #expect(inbox.take() == 1)
        #expect(inbox.mayWait(isIdle: false))
        #expect(inbox.add() == .wakeThread)

        let other = startedInbox()
        #expect(other.add() == .carryOut)
        #expect(other.giveBack(isIdle: false, isHeard: false))
        #expect(other.comeBack())
        #expect(other.mayWait(isIdle: false))
        #expect(other.add() == .wakeThread)
    }

    @Test("A thread that wakes by itself while nobody has the engine sleeps on, and no longer listens") func closed() {
        let inbox = startedInbox()
        #expect(!inbox.comeBack())
        #expect(inbox.add() == .carryOut)
        #expect(inbox.giveBack(isIdle: false, isHeard: true))
    }

    @Test("A stop during a loan is told to the thread when the loan ends, and nothing is taken any more") func stop() {
        let inbox = startedInbox()
        #expect(inbox.add() == .carryOut)
        #expect(inbox.stop())
        #expect(!inbox.comeBack())
        #expect(inbox.add() == .done)
        #expect(inbox.giveBack(isIdle: true, isHeard: true))
        #expect(inbox.comeBack())
        #expect(!inbox.mayWait(isIdle: true))
        #expect(inbox.mayWait(isIdle: false))
        #expect(!inbox.park(isListening: true))
    }

    @Test("A stop ends the sleep of a thread that has lent nothing; one that never ran is not woken") func stopAsleep()
    {
        let inbox = startedInbox()
        #expect(inbox.stop())
        #expect(inbox.comeBack())
        let fresh = Inbox()
        #expect(!fresh.stop())
    }
}

/// An inbox that a test can ask in the midst of an expectation.
private final class Inbox {
    private var inbox = EngineInbox()

    func add(mayBeCarriedOut: Bool = true) -> EngineInbox.Delivery {
        inbox.add(.cancelRevalidations, mayBeCarriedOut: mayBeCarriedOut)
    }

    func take() -> Int {
        var taken: [EngineCommand] = []
        let isLast = inbox.take(&taken)
        #expect(isLast == inbox.isStopped)
        return taken.count
    }

    func stop() -> Bool { inbox.stop() }

    func mayWait(isIdle: Bool) -> Bool { inbox.mayWait(isIdle: isIdle) }

    func park(isListening: Bool) -> Bool { inbox.park(isListening: isListening) }

    func comeBack() -> Bool { inbox.comeBack() }

    func giveBack(isIdle: Bool, isHeard: Bool) -> Bool { inbox.giveBack(isIdle: isIdle, isHeard: isHeard) }
}
