import FerrySession
import TestSupport
import Testing

/// Requests to a healthy server next to a hostile one, in the same session.
enum Bystander {
    /// Runs `body` while plain requests are sent to a healthy server one after another, and expects that none of them
    /// waits for the hostile one.
    ///
    /// A request may be delayed by at most 100 ms; a busy machine gets at least twenty times that.
    @discardableResult
    static func watching<Value: Sendable>(
        _ session: CurlSession,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let server = try healthyServer()
        let url = server.url()
        let isOver = Watched(false)
        let meter = StallMeter()
        let slowest = Task {
            var slowest = 0.0
            repeat {
                let start = ContinuousClock.now
                let (data, _) = try await session.data(from: url)
                #expect(data == Data("ok".utf8), sourceLocation: sourceLocation)
                slowest = max(slowest, Wire.seconds(since: start))
                try await Task.sleep(for: .milliseconds(5))
            } while !isOver.current
            return slowest
        }
        defer { isOver.change { $0 = true } }
        let value = try await body()
        isOver.change { $0 = true }
        let slowestTime = try await slowest.value
        #expect(slowestTime < meter.bound(2), sourceLocation: sourceLocation)
        return value
    }

    /// Expects that the session still serves a plain request.
    static func expectService(
        of session: CurlSession,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try healthyServer()
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("ok".utf8), sourceLocation: sourceLocation)
    }

    private static func healthyServer() throws -> RawServer {
        try RawServer { connection in
            while !connection.readHead().isEmpty {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }
}

/// The kinds of task that can receive a response.
enum TaskKind: String, CaseIterable, Sendable {
    case data
    case dataWithDelegate
    case upload
    case download
    case async
    case stream

    /// Sends a request as a task of this kind, and returns the body; an upload sends five bytes.
    func send(_ request: URLRequest, in session: CurlSession) async throws -> Data {
        switch self {
        case .data:
            return try await withCheckedThrowingContinuation { continuation in
                session.dataTask(with: request) { data, _, error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(data ?? Data()))
                }.resume()
            }
        case .dataWithDelegate:
            let recorder = RecordingDelegate()
            let task = session.dataTask(with: request)
            task.delegate = recorder
            let outcome = try await recorder.run(task)
            if let error = outcome.error { throw error }
            return outcome.data
        case .upload:
            var request = request
            request.httpMethod = "POST"
            return try await session.upload(for: request, from: Data("12345".utf8)).0
        case .download:
            let (file, _) = try await session.download(for: request)
            defer { Wire.remove(file) }
            return try Data(contentsOf: file)
        case .async:
            return try await session.data(for: request).0
        case .stream:
            let (bytes, _) = try await session.bytes(for: request)
            var data = Data()
            for try await byte in bytes { data.append(byte) }
            return data
        }
    }
}
