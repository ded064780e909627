/// An authentication question for the delegate.
struct AuthenticationQuestion: Sendable {
    var space: URLProtectionSpace
    var proposed: URLCredential?
    var failures: Int
    var response: URLResponse?

    func challenge(_ answer: @escaping ChallengeSender.Answer) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: failures,
            failureResponse: response,
            error: nil,
            sender: ChallengeSender(answer)
        )
    }
}

/// Decides a challenge through the methods of `URLAuthenticationChallengeSender`, for code that still calls them.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }

    func use(_ credential: URLCredential, for _: URLAuthenticationChallenge) { answer(.useCredential, credential) }
    func continueWithoutCredential(for _: URLAuthenticationChallenge) { answer(.useCredential, nil) }
    func cancel(_: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge, nil) }
    func performDefaultHandling(for _: URLAuthenticationChallenge) { answer(.performDefaultHandling, nil) }
    func rejectProtectionSpaceAndContinue(with _: URLAuthenticationChallenge) { answer(.rejectProtectionSpace, nil) }
}
