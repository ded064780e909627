import Ferry

// A client for a REST service: one type that the rest of a program calls, and that nobody has to know HTTP for.

/// A note as the service keeps it.
struct Note: Decodable, Equatable, Sendable {
    let id: Int
    let title: String
    let lastChange: Date
}

/// What is sent to create or change a note; what is `nil` is left out.
struct NoteDraft: Encodable, Sendable {
    var title: String?
    var remindAt: Date?
}

/// Why the service refuses a request: the body of its errors (RFC 9457).
struct Problem: Error, Decodable, Equatable {
    let title: String
    let detail: String?
    let status: Int
}

/// Lists, creates, changes and deletes notes.
struct NotesClient: Sendable {
    private let manager: HTTPSessionManager

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - baseURL: Where the service is, such as `https://api.example.com/v1`.
    ///   - token: Gives the token for each request, so that one that was renewed is used from the next request on.
    init(baseURL: URL, token: @escaping @Sendable () throws -> String) {
        manager = HTTPSessionManager(baseURL: baseURL)
        // Bodies are JSON; queries of GET and DELETE stay queries.
        manager.requestSerializer = JSONRequestSerializer { encoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
        }
        // Every request passes here. A redirection to another host does not take the header along.
        manager.adapters = [BearerToken(token: token)]
    }

    func notes(page: Int) async throws -> [Note] {
        try await send("notes", parameters: Parameters(["page": page]))
    }

    func create(_ draft: NoteDraft) async throws -> Note {
        try await send("notes", method: .post, parameters: Parameters(encoding: draft))
    }

    func update(_ id: Int, with draft: NoteDraft) async throws -> Note {
        try await send("notes/\(id)", method: .patch, parameters: Parameters(encoding: draft))
    }

    func delete(_ id: Int) async throws {
        // A 204 has no body, and `Empty` is made of none.
        let _: Empty = try await send("notes/\(id)", method: .delete)
    }

    /// Sends a request and reads its answer; the one place that knows how the service writes values and errors.
    private func send<Value: Decodable & Sendable>(
        _ path: String,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil
    ) async throws -> Value {
        let request = Request<Value>(
            path,
            method: method,
            parameters: parameters,
            serializer: .decodable(keys: .convertFromSnakeCase, dates: .iso8601)
        )
        do {
            return try await manager.send(request)
        } catch {
            // The body of an error response comes with the error. Where it says nothing, the error itself is thrown:
            // it has the code, the status and the cause.
            throw (try? error.decodedBody(as: Problem.self)) ?? error
        }
    }
}

/// Adds `Authorization: Bearer …` to each request.
private struct BearerToken: RequestAdapter {
    let token: @Sendable () throws -> String

    func adapt(_ request: URLRequest) throws -> URLRequest {
        var request = request
        request.setValue("Bearer \(try token())", forHTTPHeaderField: "Authorization")
        return request
    }
}
