extension RequestAttempt: RedactedDescription {
    /// The number of the attempt, and the URL without secrets.
    public var description: String { "attempt \(number) of " + (originalURL?.presentableText ?? "no URL") }
}

extension AttemptFailure: RedactedDescription {
    /// The request without secrets, and the status or error.
    public var description: String { "\(request.presentableText): \(cause.text)" }
}

extension CallEnd: RedactedDescription {
    /// The request without secrets, and the status or error.
    public var description: String { "\(request.presentableText): \(cause.text)" }
}

extension AttemptFailure.Cause {
    /// The status or error.
    fileprivate var text: String {
        switch self {
        case .response(let response): "status \(response.statusCode)"
        case .error(let error): error.localizedDescription
        }
    }
}
