import Testing

@testable import FerryCurl
@testable import FerrySession

/// The decisions about which thread runs the engine.
@Suite
struct EngineInboxTests {
    private func startedInbox(isListening: Bool = true) -> Inbox {
        let inbox = Inbox()
        #expect(inbox.add() == .startThread)
        #expect(inbox.take() == 1)
        #expect(inbox.makeAvailable())
        if !isListening { #expect(!inbox.noteWakeUp()) }
        return inbox
    }

    @Test("The first command starts the thread; the others of a burst do not wake it again") func burst() {
        let inbox = Inbox()
        #expect(inbox.add() == .startThread)
        #expect(inbox.add() == .done)
        #expect(inbox.take() == 2)
        #expect(inbox.add() == .wakeThread)
        #expect(inbox.add() == .done)
        #expect(!inbox.beginWait(isIdle: false))
        #expect(!inbox.makeAvailable())
    }

    @Test("A sleeping engine runs inline on one thread at a time, and others queue their commands") func loan() {
        let inbox = startedInbox()
        #expect(inbox.add() == .runInline)
        #expect(!inbox.noteWakeUp(), "The thread must not touch an engine that runs inline")
        #expect(inbox.add() == .done)
        #expect(inbox.giveBack(isIdle: true, isHeard: true), "Another thread has queued a command")
        #expect(inbox.noteWakeUp())
        #expect(inbox.take() == 1)
    }

    @Test("A command that may not run inline wakes the thread, and prevents running inline")
    func thread() {
        let inbox = startedInbox()
        #expect(inbox.add(mayRunInline: false) == .wakeThread)
        #expect(inbox.add() == .done)
        #expect(inbox.noteWakeUp())
    }

    @Test(
        "The thread stays asleep after running inline if nothing is in progress, or if it is listening",
        arguments: [
            // listening, idle, heard, must wake, may run inline again
            (true, true, false, false, true), (false, true, false, false, true),
            (true, false, true, false, false), (true, false, false, true, false),
            (false, false, true, true, false), (false, false, false, true, false),
        ]
    )
    func end(isListening: Bool, isIdle: Bool, isHeard: Bool, mustWake: Bool, isLentAgain: Bool) {
        let inbox = startedInbox(isListening: isListening)
        #expect(inbox.add() == .runInline)
        #expect(inbox.giveBack(isIdle: isIdle, isHeard: isHeard) == mustWake)
        let next: EngineInbox.Submission = isLentAgain ? .runInline : mustWake ? .done : .wakeThread
        #expect(inbox.add() == next)
    }

    @Test("A thread that came back once while running inline no longer listens, and must be woken") func missed() {
        let inbox = startedInbox()
        #expect(inbox.add() == .runInline)
        #expect(!inbox.noteWakeUp())
        #expect(inbox.giveBack(isIdle: false, isHeard: true))
    }

    @Test("A thread woken after running inline waits for its connections, and is woken for the next command")
    func woken() {
        let inbox = startedInbox()
        #expect(inbox.add() == .runInline)
        #expect(inbox.giveBack(isIdle: false, isHeard: false))
        #expect(inbox.add() == .done)
        #expect(inbox.noteWakeUp())
        #expect(!inbox.beginWait(isIdle: false))
        #expect(inbox.take() == 1)
        #expect(inbox.beginWait(isIdle: false))
        #expect(inbox.add() == .wakeThread)

        let other = startedInbox()
        #expect(other.add() == .runInline)
        #expect(other.giveBack(isIdle: false, isHeard: false))
        #expect(other.noteWakeUp())
        #expect(other.beginWait(isIdle: false))
        #expect(other.add() == .wakeThread)
    }

    @Test("A thread that wakes while nothing runs inline goes back to sleep, and no longer listens") func closed() {
        let inbox = startedInbox()
        #expect(!inbox.noteWakeUp())
        #expect(inbox.add() == .runInline)
        #expect(inbox.giveBack(isIdle: false, isHeard: true))
    }

    @Test("A stop while running inline reaches the thread afterwards, and no more commands are accepted") func stop() {
        let inbox = startedInbox()
        #expect(inbox.add() == .runInline)
        #expect(inbox.stop())
        #expect(!inbox.noteWakeUp())
        #expect(inbox.add() == .done)
        #expect(inbox.giveBack(isIdle: true, isHeard: true))
        #expect(inbox.noteWakeUp())
        #expect(!inbox.beginWait(isIdle: true))
        #expect(inbox.beginWait(isIdle: false))
        #expect(!inbox.makeAvailable())
    }

    @Test("A stop wakes a sleeping thread; one that never ran is not woken") func stopAsleep() {
        let inbox = startedInbox()
        #expect(inbox.stop())
        #expect(inbox.noteWakeUp())
        let fresh = Inbox()
        #expect(!fresh.stop())
    }
}

/// An inbox that can be used within an expectation.
private final class Inbox {
    private var inbox = EngineInbox()

    func add(mayRunInline: Bool = true) -> EngineInbox.Submission {
        inbox.add(.run {}, mayRunInline: mayRunInline)
    }

    func take() -> Int {
        var taken: [EngineCommand] = []
        let isLast = inbox.take(&taken)
        #expect(isLast == inbox.isStopped)
        return taken.count
    }

    func stop() -> Bool { inbox.stop() }

    func beginWait(isIdle: Bool) -> Bool { inbox.beginWait(isIdle: isIdle) }

    func makeAvailable() -> Bool { inbox.makeAvailable() }

    func noteWakeUp() -> Bool { inbox.noteWakeUp() }

    func giveBack(isIdle: Bool, isHeard: Bool) -> Bool { inbox.giveBack(isIdle: isIdle, isHeard: isHeard) }
}
