import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite("Questions about trust", .ownThreads) struct TrustQuestionsTests {
    private func question(_ number: Int = 0) throws -> TrustQuestion {
        let url = try #require(URL(string: "https://a.example"))
        return TrustQuestion(origin: Origin(url), certificates: [Data([1])], verifyResult: 0, revision: number)
    }

    @Test("A quick decision is returned immediately, and not delivered again") func quick() async throws {
        let questions = TrustQuestions()
        let told = Watched([TrustDecision]())
        let decision = questions.ask(try question()) {
            .refuse(reason: "no")
        } whenDecided: { decision in
            told.change { $0.append(decision) }
        }
        // On a busy machine the decision may take longer than the engine waits; then it is delivered instead.
        if decision == nil { try await eventually { told.change { $0.count } == 1 } }
        #expect((told.current + [decision].compactMap { $0 }) == [.refuse(reason: "no")])
    }

    @Test("A slow decision is delivered later to each asker, and made once") func slow() async throws {
        let questions = TrustQuestions()
        let gate = DispatchSemaphore(value: 0)
        let (asked, told) = (Watched(0), Watched([TrustDecision]()))
        let question = try question()
        for _ in 0..<3 {
            let decision = questions.ask(question) {
                asked.change { $0 += 1 }
                gate.wait()
                return .accept
            } whenDecided: { decision in
                told.change { $0.append(decision) }
            }
            #expect(decision == nil)
        }
        #expect(told.current.isEmpty)
        gate.signal()
        try await eventually { told.change { $0.count } == 3 }
        #expect(asked.current == 1)
    }

    @Test("The engine does not wait for many questions in a row that each take some time") func burst() async throws {
        let questions = TrustQuestions()
        let told = Watched(0)
        var immediate = 0
        for number in 0..<20 {
            let decision = questions.ask(try question(number)) {
                usleep(30_000)
                return .accept
            } whenDecided: { _ in
                told.change { $0 += 1 }
            }
            if decision != nil { immediate += 1 } else { try await told.wait { $0 == number + 1 - immediate } }
        }
        #expect(immediate < 20)
    }

    @Test("The engine waits for one slow question at a time") func oneSlowQuestion() async throws {
        let questions = TrustQuestions()
        let gate = DispatchSemaphore(value: 0)
        let count = 400
        let start = ContinuousClock.now
        for number in 0..<count {
            let decision = questions.ask(try question(number)) {
                gate.wait()
                return .accept
            } whenDecided: { _ in
            }
            #expect(decision == nil)
        }
        // Otherwise the engine would have waited 400 times, for 20 seconds.
        #expect(Wire.seconds(since: start) < 10)
        for _ in 0..<count { gate.signal() }
    }
}
