import Ferry

/// One task of a transfer, and what has been seen of it.
final class Exchange: Sendable {
    private struct State {
        var currentURL: URL
        var requestCount = 1
        var response: HTTPURLResponse?
    }

    let collector: MetricsCollector
    private let state: Locked<State>

    init(_ url: URL, wanted: Double) {
        collector = MetricsCollector(wanted: wanted)
        state = Locked(State(currentURL: url))
    }

    /// The URL of the last request.
    var currentURL: URL { state.withLock { $0.currentURL } }
    /// How many requests went out at least: the first, and one for each redirection.
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// The response that was no redirection.
    var response: HTTPURLResponse? { state.withLock { $0.response } }

    func noteRedirect(to url: URL?) {
        state.withLock { state in
            state.requestCount += 1
            if let url { state.currentURL = url }
        }
    }

    func note(_ response: HTTPURLResponse) {
        state.withLock { $0.response = response }
    }
}
