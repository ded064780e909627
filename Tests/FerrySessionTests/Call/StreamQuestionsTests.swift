import Testing

@testable import FerrySession

@Suite struct StreamQuestionsTests {
    @Test("The answer to the only question is used, once") func one() {
        var questions = StreamQuestions()
        questions.ask()
        #expect([questions.noteAnswer(), questions.noteAnswer()] == [true, false])
        questions.ask()
        #expect([questions.noteAnswer()] == [true])
    }

    @Test("Of several questions only the last answer is used") func several() {
        var questions = StreamQuestions()
        for _ in 0..<3 { questions.ask() }
        #expect([questions.noteAnswer(), questions.noteAnswer(), questions.noteAnswer()] == [false, false, true])
    }

    @Test("The answer to a question that was withdrawn is not used, and neither is an early one to the next")
    func withdrawn() {
        var questions = StreamQuestions()
        questions.ask()
        questions.withdraw()
        #expect([questions.noteAnswer()] == [false])
        questions.ask()
        questions.withdraw()
        questions.ask()
        #expect([questions.noteAnswer(), questions.noteAnswer()] == [false, true])
    }

    @Test("A failure that no retry follows leaves no retry that waits for a stream") func settled() {
        var attempt = Attempts.Current()
        attempt.pendingRetry = PendingRetry(delay: 1, start: .beginning, origin: .policy, isProgress: false)
        attempt.settle()
        #expect(attempt.pendingRetry == nil)
    }
}
