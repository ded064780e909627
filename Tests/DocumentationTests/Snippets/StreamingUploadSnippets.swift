import Ferry

/// The snippets of the article about bodies that are made while they are sent, compiled but not run.
enum StreamingUploadSnippets {
    protocol Export: Sendable {
        func rows() async throws -> AsyncStream<Data>
    }

    static func lines(manager: HTTPSessionManager, url: AsyncLines) async {
        let lines = url.lines.map { Data(($0 + "\n").utf8) }
        let request = Request(.post, "import", serializer: .data)
            .headers(["Content-Type": "text/plain"])
            .body(RequestBody(lines, coding: .gzip))
        let response = await manager.response(for: request)
        print(response.statusCode ?? 0)
    }

    struct AsyncLines: Sendable {
        let lines: AsyncStream<String>
    }

    static func proxy(session: CurlSession, from: URL, to: URL) async throws {
        let (source, response) = try await session.bytes(from: from)
        var request = URLRequest(url: to)
        request.httpMethod = "PUT"
        let length = response.expectedContentLength
        let body = RequestBody(source.chunks, length: length)
        _ = try await session.upload(for: request, body: body)
    }

    static func question(after answer: String) -> String? { answer.isEmpty ? nil : answer }

    static func conversation(session: CurlSession, request: URLRequest) async throws {
        let (body, writer) = RequestBody.writer()
        let (answers, _) = try await session.bytes(
            for: request,
            body: body
        )
        for try await answer in answers.lines {
            guard let next = question(after: answer) else { break }
            try await writer.write(Data((next + "\n").utf8))
        }
        writer.finish()
    }

    static func replayed(export: some Export) -> RequestBody {
        let body = RequestBody { try await export.rows() }
        return body
    }

    actor Digest {
        var value = ""
    }

    static func trailers(rows: AsyncStream<Data>, digest: Digest) -> RequestBody {
        let body = RequestBody(rows) { ["Content-Digest": await digest.value] }
        return body
    }
}
