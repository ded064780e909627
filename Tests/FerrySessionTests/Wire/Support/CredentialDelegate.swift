import FerrySession

/// Gives the same credential to every challenge.
final class CredentialDelegate: NSObject, URLSessionTaskDelegate {
    /// How many challenges there were.
    let count = Locked(0)
    private let user: String
    private let password: String

    init(user: String = "ada", password: String) {
        self.user = user
        self.password = password
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        count.withLock { $0 += 1 }
        completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .none))
    }
}
