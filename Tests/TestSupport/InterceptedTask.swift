import FerrySession
import Foundation

/// A request and the attempts of its task, as an engine describes them to an interceptor.
package struct InterceptedTask: Sendable {
    package var url: URL
    package var original: URL
    package var identifier: Int
    package var hasLeftOrigin = false

    package init(_ text: String = "https://api.example.com/users", identifier: Int = 1) {
        self.init(URL(string: text) ?? URL(fileURLWithPath: "/"), identifier: identifier)
    }

    package init(_ url: URL, identifier: Int = 1) {
        (self.url, original, self.identifier) = (url, url, identifier)
    }

    package var request: URLRequest { URLRequest(url: url) }

    package func attempt(_ number: Int = 1) -> RequestAttempt {
        RequestAttempt(
            number: number,
            taskIdentifier: identifier,
            originalURL: original,
            hasLeftOrigin: hasLeftOrigin
        )
    }

    /// Returns the `Authorization` field that an interceptor sets in the request.
    package func authorization(_ interceptor: some RequestInterceptor, attempt number: Int = 1) async throws -> String?
    {
        try await interceptor.adapt(request, for: attempt(number)).value(forHTTPHeaderField: "Authorization")
    }

    /// Returns the decision about a response to the request with a token.
    package func decision(
        _ interceptor: some RequestInterceptor,
        token: String,
        status: Int = 401,
        attempt number: Int = 1
    ) async -> RetryDecision {
        var sent = request
        sent.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil) else {
            return .proceed
        }
        return await interceptor.retry(
            attempt(number),
            dueTo: AttemptOutcome(.response(response), request: sent, isRepeatable: true)
        )
    }
}

extension RetryDecision {
    /// The name of the case, for comparing.
    package var name: String {
        switch self {
        case .proceed: "proceed"
        case .doNotRetry: "doNotRetry"
        case .retry: "retry"
        case .retryAfter: "retryAfter"
        case .fail: "fail"
        }
    }

    /// The error that the task fails with.
    package var error: (any Error)? { if case .fail(let error) = self { error } else { nil } }
}

extension ImmediateRequestInterceptor {
    /// Returns the adapted request, or nil if the interceptor has to wait.
    package func adaptImmediately(_ request: URLRequest, for attempt: RequestAttempt) throws -> URLRequest? {
        var request = AdaptedRequest(request)
        return try adaptImmediately(&request, for: attempt) ? request.urlRequest : nil
    }
}
