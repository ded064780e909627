import Ferry

/// One task of a transfer: the redirects and the response that its delegate has received.
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
    /// The minimum number of requests sent: the first one, and one for each redirect that was followed.
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// The final response, which is not a redirect that was followed.
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
