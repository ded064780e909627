import FerrySession

/// A delegate that uses the same credential for every challenge.
final class CredentialDelegate: NSObject, URLSessionTaskDelegate {
    /// The number of challenges.
    let count = Watched(0)
    private let user: String
    private let password: String
    private let persistence: URLCredential.Persistence

    init(user: String = "ada", password: String, persistence: URLCredential.Persistence = .forSession) {
        self.user = user
        self.password = password
        self.persistence = persistence
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        count.change { $0 += 1 }
        completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: persistence))
    }
}
