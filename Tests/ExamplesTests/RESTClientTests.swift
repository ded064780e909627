import Ferry
import FerryTesting
import Foundation
import Testing

@testable import Examples

@Suite("Example: REST client", .timeLimit(.minutes(2)))
struct RESTClientTests {
    @Test("Notes are listed, created, changed and deleted, each request with a fresh token")
    func lifeOfANote() async throws {
        let server = try NoteServer.start()
        let tokens = Mutex(["one", "two", "three", "four"])
        let client = NotesClient(baseURL: server.url("/v1")) { tokens.withLock { $0.removeFirst() } }

        let created = try await client.create(NoteDraft(title: "Row", remindAt: Date(timeIntervalSince1970: 86_400)))
        #expect(created == Note(id: 7, title: "Row", lastChange: Date(timeIntervalSince1970: 0)))
        #expect(try await client.notes(page: 2) == [created])
        #expect(try await client.update(7, with: NoteDraft(title: "Sail")).title == "Sail")
        try await client.delete(7)

        let requests = server.requests
        #expect(
            requests.map { "\($0.method) \($0.target)" } == [
                "POST /v1/notes", "GET /v1/notes?page=2", "PATCH /v1/notes/7", "DELETE /v1/notes/7",
            ]
        )
        #expect(
            requests.map { $0.header("Authorization") } == ["Bearer one", "Bearer two", "Bearer three", "Bearer four"]
        )
        #expect(requests[0].bodyText == #"{"remind_at":"1970-01-02T00:00:00Z","title":"Row"}"#)
        #expect(requests[2].bodyText == #"{"title":"Sail"}"#)
    }

    @Test("A refusal is thrown as the problem in its body")
    func problem() async throws {
        let server = try NoteServer.start()
        let client = NotesClient(baseURL: server.url("/v1")) { "secret" }
        await #expect(throws: Problem(title: "No such note", detail: "There is no note 8.", status: 404)) {
            try await client.update(8, with: NoteDraft(title: "Sink"))
        }
    }

    @Test("A refusal without a problem body is thrown as a network error")
    func otherError() async throws {
        let server = try LoopbackServer { _ in .text("out of order", statusCode: 503) }
        let client = NotesClient(baseURL: server.url) { "secret" }
        let error = await #expect(throws: NetworkError.self) { try await client.notes(page: 1) }
        #expect(error?.statusCode == 503)
        #expect(error?.data == Data("out of order".utf8))
    }

    @Test("Without a token no request is sent")
    func noToken() async throws {
        struct SignedOut: Error {}
        let server = try NoteServer.start()
        let client = NotesClient(baseURL: server.url) { throw SignedOut() }
        let error = await #expect(throws: NetworkError.self) { try await client.notes(page: 1) }
        #expect(error?.underlyingError is SignedOut)
        #expect(server.requestCount == 0)
    }
}

/// A service with a single note, number 7.
private enum NoteServer {
    static func start() throws -> LoopbackServer {
        @Sendable func note(_ title: String) -> String {
            #"{"id":7,"title":"\#(title)","last_change":"1970-01-01T00:00:00Z"}"#
        }
        return try LoopbackServer(routes: [
            LoopbackRoute("GET", "/v1/notes") { _ in .json("[\(note("Row"))]") },
            LoopbackRoute("POST", "/v1/notes") { _ in .json(note("Row"), statusCode: 201) },
            LoopbackRoute("PATCH", "/v1/notes/7") { _ in .json(note("Sail")) },
            LoopbackRoute("DELETE", "/v1/notes/7") { _ in .status(204) },
            LoopbackRoute(nil, "/v1/notes/:id") { request in
                let detail = "There is no note \(request.parameters["id"] ?? "")."
                return .data(
                    Data(#"{"title":"No such note","detail":"\#(detail)","status":404}"#.utf8),
                    contentType: "application/problem+json",
                    statusCode: 404
                )
            },
        ])
    }
}
