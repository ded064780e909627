@testable import FerryCurl
@testable import FerrySession

/// Surroundings in which nothing has happened.
struct QuietSurroundings: CallSurroundings {
    /// The stale stored response that may replace an error.
    var stale: LocalResponse?
    var now = MonotonicTime(nanoseconds: 1_000)
    var random = 0.5
    var isRunning = true
    var isParkedInQueue = false
    var isCallOver = false
    var limits = TransferClock.Limits()
    var timeLeft: Double?
    var mayReceive = true
    var wasSent = true
    var decoding = Decoding.none
    var hasReader = false
    var hasUnreadStream = false
    var unreadBody: MadeBody?
    var mayRestartBody = false
    var proxy: ProxyServer?
    var isProxyCertain = false
    var acceptedCredentials = AcceptedCredentials()
    func staleResponse(insteadOf code: URLError.Code?) -> LocalResponse? { stale }
    func hasRetry(for key: RetryBudgets.Key) -> Bool { true }
    func charge(_ key: RetryBudgets.Key) {}
}
