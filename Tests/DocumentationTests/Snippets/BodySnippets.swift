import Ferry

/// The snippets of the articles about downloads, bodies, timeouts and headers, compiled but not run.
enum BodySnippets {
    static func destination(folder: URL) -> DownloadDestination {
        let destination = DownloadDestination(options: [
            .overwrite, .createIntermediateDirectories,
        ]) { _, response in
            guard response?.mimeType == "application/pdf" else { return nil }
            return folder.appendingPathComponent("report.pdf")
        }
        return destination
    }

    static func stream(manager: HTTPSessionManager, output: FileHandle) async throws {
        let stream = manager.stream(
            .get("export.csv"),
            validation: Validation(contentTypes: ["text/csv"])
        )
        for try await piece in stream {
            try output.write(contentsOf: piece)
        }
    }

    static func events(manager: HTTPSessionManager) async throws {
        for try await event in manager.stream(
            .post("chat").parameters(["stream": true])
        ).events {
            if event.data == "[DONE]" { break }
            print(event.data)
        }
    }

    static func limit(manager: HTTPSessionManager) async throws {
        let terms = try await manager.send(
            .get("terms", serializer: .string.limited(toBytes: 1 << 20))
        )
        print(terms)
    }

    static func streamedUpload(manager: SessionManager, url: URL, file: URL, length: Int) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(url: file)
        request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
        let task = manager.uploadTask(
            withStreamedRequest: request,
            serializer: .data
        ) { response in
            print(response.statusCode ?? 0)
        }
        task.resume()
    }

    static func deadlines() -> CurlSession {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 10
        configuration.timeoutIntervalForResource = 120
        var options = CurlSession.Options()
        options.connectTimeout = 2.5
        let session = CurlSession(configuration: configuration, options: options)
        return session
    }

    static func transports(options: CurlSession.Options) -> [SessionManager] {
        let manager = SessionManager(transport: .curl(options: options))
        let onWhateverIsMade = SessionManager(
            transport: .session { configuration, delegate, queue in
                CurlSession(
                    configuration: configuration,
                    delegate: delegate,
                    delegateQueue: queue
                )
            }
        )
        return [manager, onWhateverIsMade]
    }

    static func runtime() throws {
        let runtime = try CurlRuntime.current()
        print(runtime, runtime.supportsHTTP2, runtime.contentCodings)
    }

    static func resolve() throws -> URL {
        let url = try BaseURL.resolve(
            "users/1",
            against: URL(string: "https://example.com/v1")
        )
        return url
    }

    static func headers(manager: HTTPSessionManager) async throws -> String {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        headers["accept"] = "text/html"
        headers.add("X-Trace", "7")
        headers.setAuthorization(bearerToken: "secret")
        let page = try await manager.send(
            .get("page", serializer: .string).headers(headers)
        )
        return page
    }

    static func serializerHeaders(manager: HTTPSessionManager) {
        manager.requestSerializer = .json { $0.headers["X-Api-Version"] = "3" }
    }

    static func methods(manager: HTTPSessionManager) async {
        let report = Request("REPORT", "calendar", serializer: .data)
        let response = await manager.response(for: report)
        if response.error?.isRetryable == true, report.method.isIdempotent {
            print("once more")
        }
    }
}
