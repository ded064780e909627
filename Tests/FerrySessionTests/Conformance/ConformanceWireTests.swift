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

    /// RFC 9112, section 6.3: chunked coding overrides the field.
    @Test("Chunks end a body of unknown length, whatever its Content-Length is", arguments: ["1", "4", "1000"])
    func chunksWithLength(_ length: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try RawServer(answering: head + "4\r\n1234\r\n0\r\n\r\n")
        let session = makeSession()
        let (data, response) = try await session.data(from: server.url())
        #expect(data == Data("1234".utf8))
        #expect(response.expectedContentLength == -1)
        let (file, other) = try await session.download(from: server.url())
        #expect(try Data(contentsOf: file) == Data("1234".utf8))
        #expect(other.expectedContentLength == -1)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        try await delegate.completion(of: task)
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 4 && task.progress.isFinished)
    }

    private func load(_ answer: String) async throws -> (Data, Int?) {
        let server = try RawServer(answering: answer)
        let session = makeSession()
        let (data, response) = try await session.data(from: server.url())
        session.invalidateAndCancel()
        return (data, (response as? HTTPURLResponse)?.statusCode)
    }
}
