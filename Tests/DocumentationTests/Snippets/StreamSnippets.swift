import FerryStreams

/// The snippets of the articles about streams, compiled but not run.
enum StreamSnippets {
    struct Entry: Codable {
        var id: Int
    }

    static func events(session: CurlSession, url: URL) async throws {
        let source = session.eventSource(from: url)
        for try await event in source {
            print(event.type, event.data)
        }
    }

    static func eventsOfManager(manager: HTTPSessionManager) async throws {
        for try await event in try manager.eventSource("events", parameters: ["topic": 7]) {
            print(event.data)
        }
    }

    static func subscription(source: EventSource) {
        let subscription = source.subscribe { event in
            print(event.data)
        } completionHandler: { error in
            print(error ?? "no more events")
        }
        subscription.cancel()
    }

    static func answer(session: CurlSession, request: URLRequest) async throws {
        let (bytes, response) = try await session.bytes(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        var isComplete = false
        for try await event in bytes.events {
            if event.data == "[DONE]" {
                isComplete = true
                break
            }
            print(event.data, terminator: "")
        }
        if !isComplete { print("(the answer is incomplete)") }
    }

    static func values(session: CurlSession, url: URL) async throws {
        let (bytes, _) = try await session.bytes(from: url)
        for try await entry in bytes.jsonLines(as: Entry.self) {
            print(entry.id)
        }
    }

    static func parts(session: CurlSession, request: URLRequest) async throws {
        let (bytes, response) = try await session.bytes(for: request)
        for try await part in try bytes.parts(of: response) {
            print(part.headers["Content-Range"] ?? "", part.body.count)
        }
    }

    static func checked(session: CurlSession, url: URL, digest: ContentDigest) async throws {
        let (bytes, _) = try await session.bytes(from: url)
        let body = bytes.chunks.checked(maximumLength: 100_000_000, digest: digest)
        for try await entry in body.jsonLines(as: Entry.self) {
            print(entry.id)
        }
    }

    static func stream(manager: HTTPSessionManager) async throws {
        let stream = manager.stream(.get("log"))
        let entries = stream.jsonLines(as: Entry.self, maximumLength: 65_536)
        for try await entry in entries {
            print(entry.id)
        }
    }
}
