import Testing

/// A trait of suites that load the machine or the server: they run one after another, beside other tests.
struct TakesTurns: SuiteTrait, TestScoping {
    private actor Turns {
        static let shared = Turns()

        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func begin() async {
            if isTaken {
                await withCheckedContinuation { waiting.append($0) }
            } else {
                isTaken = true
            }
        }

        func end() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Turns.shared.begin()
        do {
            try await function()
        } catch {
            await Turns.shared.end()
            throw error
        }
        await Turns.shared.end()
    }
}

extension Trait where Self == TakesTurns {
    static var takesTurns: TakesTurns { TakesTurns() }
}

/// A trait that starts nginx before the tests of a suite, which would otherwise block the threads of Swift Concurrency
/// until it has started.
struct StartsNginx: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // If the start has failed, each test throws the error.
        await onThreads(1) { _ in _ = try? NginxServer.shared() }
        try await function()
    }
}

extension Trait where Self == StartsNginx {
    static var startsNginx: StartsNginx { StartsNginx() }
}
