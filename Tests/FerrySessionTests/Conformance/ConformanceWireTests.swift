import Testing

@testable import FerrySession

/// The cases of the HTTP client conformance suite whose server sends exact bytes.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceWireTests {
    /// Responses that a client must not deliver as complete.
    enum Bad: String, CaseIterable {
        case notHTTP = "FOOBAR"
        case lowercaseVersion = "Http/1.1 200 OK\r\nConnection: close\r\n\r\n"
        case incompleteBody = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n1234"
        case conflictingLength = "HTTP/1.1 200 OK\r\nContent-Length: 10, 4\r\nConnection: close\r\n\r\n1234"
    }

    @Test("A response that is not HTTP or not complete is an error", arguments: Bad.allCases)
    func fails(_ bad: Bad) async throws {
        let server = try RawServer(answering: bad.rawValue)
        let session = makeSession()
        await #expect(throws: URLError.self) { _ = try await session.data(from: server.url()) }
        session.invalidateAndCancel()
    }

    @Test("A status line may have no reason")
    func noReason() async throws {
        let (data, status) = try await load("HTTP/1.1 200\r\nConnection: close\r\n\r\n")
        #expect(status == 200)
        #expect(data.isEmpty)
    }

    @Test("A response without content may name a length", arguments: [204, 304])
    func noContent(_ code: Int) async throws {
        let (data, status) = try await load(
            "HTTP/1.1 \(code) Text\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n"
        )
        #expect(status == code)
        #expect(data.isEmpty)
    }

    @Test("A body without a length ends with its connection")
    func noLength() async throws {
        let (data, status) = try await load("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n1234")
        #expect(status == 200)
        #expect(data == Data("1234".utf8))
    }

    private func load(_ answer: String) async throws -> (Data, Int?) {
        let server = try RawServer(answering: answer)
        let session = makeSession()
        let (data, response) = try await session.data(from: server.url())
        session.invalidateAndCancel()
        return (data, (response as? HTTPURLResponse)?.statusCode)
    }
}
