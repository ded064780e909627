extension RequestAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of the attempt, and the URL without secrets.
    public var description: String { "attempt \(number) of " + (originalURL?.presentableText ?? "no URL") }

    /// The description.
    public var debugDescription: String { description }

    /// The description, since `dump` would print the secrets of the URL.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension AttemptFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request without secrets, and the status or error.
    public var description: String { "\(request.presentableText): \(cause.text)" }

    /// The description.
    public var debugDescription: String { description }

    /// The description, since `dump` would print the request's header fields.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension CallEnd: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request without secrets, and the status or error.
    public var description: String { "\(request.presentableText): \(cause.text)" }

    /// The description.
    public var debugDescription: String { description }

    /// The description, since `dump` would print the request's header fields.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
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
