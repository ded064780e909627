import Ferry

// A client for a REST service: one type, whose callers do not have to deal with HTTP.

/// A note as the service stores it.
struct Note: Decodable, Equatable, Sendable {
    let id: Int
    let title: String
    let lastChange: Date
}

/// The values to create or change a note; `nil` values are not sent.
struct NoteDraft: Encodable, Sendable {
    var title: String?
    var remindAt: Date?
}

/// The body of the service's error responses (RFC 9457).
struct Problem: Error, Decodable, Equatable {
    let title: String
    let detail: String?
    let status: Int
}

/// Lists, creates, changes and deletes notes.
struct NotesClient: Sendable {
    private let manager: HTTPSessionManager

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL of the service, such as `https://api.example.com/v1`.
    ///   - token: Returns the token; called for each request, so that a renewed token is used for the next one.
    init(baseURL: URL, token: @escaping @Sendable () throws -> String) {
        manager = HTTPSessionManager(baseURL: baseURL)
        // Bodies are JSON; the parameters of GET and DELETE are sent in the query.
        manager.requestSerializer = JSONRequestSerializer { encoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
        }
        // The interceptor is called for every request. A redirect to another origin does not send the header field.
        manager.interceptors = [BearerToken(token: token)]
    }

    func notes(page: Int) async throws -> [Note] {
        try await send(.get("notes", serializer: format()).parameters(["page": page]))
    }

    func create(_ draft: NoteDraft) async throws -> Note {
        try await send(.post("notes", serializer: format()).parameters(.encoding(draft)))
    }

    func update(_ id: Int, with draft: NoteDraft) async throws -> Note {
        try await send(.patch("notes/\(id)", serializer: format()).parameters(.encoding(draft)))
    }

    func delete(_ id: Int) async throws {
        // A 204 has no body; `Empty` is decoded from an empty body.
        let _: Empty = try await send(.delete("notes/\(id)", serializer: format()))
    }

    /// The service's format.
    private func format<Value: Decodable>() -> DecodableResponseSerializer<Value> {
        .decodable(keys: .convertFromSnakeCase, dates: .iso8601)
    }

    /// Sends a request; an error response becomes the service's own error.
    private func send<Value>(_ request: Request<Value>) async throws -> Value {
        do {
            return try await manager.send(request)
        } catch {
            // The error contains the body of the error response. If that cannot be decoded, the error itself is thrown,
            // which has the code, the status and the cause.
            throw (try? error.decodedBody(as: Problem.self)) ?? error
        }
    }
}

/// Adds `Authorization: Bearer …` to each request.
private struct BearerToken: RequestInterceptor {
    let token: @Sendable () throws -> String

    func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
        var request = request
        request.setValue("Bearer \(try token())", forHTTPHeaderField: "Authorization")
        return request
    }
}
