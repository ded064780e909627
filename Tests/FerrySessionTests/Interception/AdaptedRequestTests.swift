import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The request that immediate interceptors change, and the fields that they set.
@Suite(.timeLimit(.minutes(5)))
struct AdaptedRequestTests {
    private struct Setting: ImmediateRequestInterceptor {
        var failureStatusCodes: Set<Int> = [503]
        var isRepeating = false
        let failures = Watched<[String?]>([])
        let change: @Sendable (inout AdaptedRequest) -> Void

        func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
            change(&request)
            return true
        }

        func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
            failures.change { $0.append(failure.request.value(forHTTPHeaderField: "X-Token")) }
            return isRepeating ? .retry : .proceed
        }
    }

    private func session(
        _ interceptors: any RequestInterceptor...,
        delegate: (any URLSessionDelegate)? = nil,
        headers: [String: String] = [:],
        cache: HTTPCache? = nil
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = interceptors
        options.cache = cache
        return Wire.session(delegate, options: options) { $0.httpAdditionalHeaders = headers }
    }

    private let url = URL(string: "http://example.com/a")

    // MARK: - The value

    @Test("A field replaces one of the same name in any case, and nil removes it")
    func fields() throws {
        var request = URLRequest(url: try #require(url))
        request.allHTTPHeaderFields = ["Accept": "text/plain", "X-Old": "1"]
        var adapted = AdaptedRequest(request)
        #expect(adapted.url == url)
        adapted.setValue("2", forHTTPHeaderField: "x-old")
        adapted.setValue("3", forHTTPHeaderField: "X-New")
        #expect(adapted.value(forHTTPHeaderField: "X-OLD") == "2")
        #expect(adapted.value(forHTTPHeaderField: "accept") == "text/plain")
        #expect(adapted.urlRequest.allHTTPHeaderFields == ["Accept": "text/plain", "x-old": "2", "X-New": "3"])
        adapted.setValue("4", forHTTPHeaderField: "X-NEW")
        adapted.setValue(nil, forHTTPHeaderField: "x-old")
        adapted.setValue(nil, forHTTPHeaderField: "X-Unknown")
        #expect(adapted.value(forHTTPHeaderField: "X-Old") == nil)
        #expect(adapted.urlRequest.allHTTPHeaderFields == ["Accept": "text/plain", "X-NEW": "4"])
        adapted.setValue(nil, forHTTPHeaderField: "x-new")
        #expect(adapted.urlRequest.allHTTPHeaderFields == ["Accept": "text/plain"])
    }

    @Test("The whole request can be replaced, with the fields that were set before")
    func replacement() throws {
        var adapted = AdaptedRequest(URLRequest(url: try #require(url)))
        adapted.setValue("1", forHTTPHeaderField: "X-First")
        adapted.urlRequest.httpMethod = "PUT"
        adapted.urlRequest.url = URL(string: "http://example.com/b")
        adapted.setValue("2", forHTTPHeaderField: "X-Second")
        #expect(adapted.url?.path == "/b")
        #expect(adapted.urlRequest.httpMethod == "PUT")
        #expect(adapted.urlRequest.allHTTPHeaderFields == ["X-First": "1", "X-Second": "2"])
    }

    @Test("A request without a URL is not copied, since Foundation would end the process")
    func withoutURL() throws {
        var request = URLRequest(url: try #require(url))
        request.setValue("1", forHTTPHeaderField: "X-Old")
        request.url = nil
        var adapted = AdaptedRequest(request)
        adapted.setValue("1", forHTTPHeaderField: "X-New")
        adapted.setValue(nil, forHTTPHeaderField: "X-Old")
        #expect(adapted.urlRequest.url == nil)
        #expect(adapted.value(forHTTPHeaderField: "X-New") == "1")
    }

    // MARK: - What is sent

    @Test("Fields win over those of the request, and those over the session's; the task shows what it has sent")
    func precedence() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let first = Setting { $0.setValue("interceptor", forHTTPHeaderField: "x-one") }
        let second = Setting { request in
            let before = request.value(forHTTPHeaderField: "X-One") ?? "none"
            request.setValue("\(before) seen", forHTTPHeaderField: "X-Seen")
        }
        let recorder = RecordingDelegate()
        let headers = ["X-One": "session", "X-Two": "session", "X-Three": "session"]
        let session = session(first, second, delegate: recorder, headers: headers)
        var request = URLRequest(url: server.url)
        request.allHTTPHeaderFields = ["X-One": "request", "X-Two": "request"]
        let task = session.dataTask(with: request)
        task.resume()
        #expect(try await recorder.completion(of: task).error == nil)
        let sent = try #require(server.requests.first)
        let expected = [
            "X-One": "interceptor", "X-Two": "request", "X-Three": "session", "X-Seen": "interceptor seen",
        ]
        for (name, value) in expected {
            #expect(sent.headers.values(for: name) == [value])
            #expect(task.currentRequest?.value(forHTTPHeaderField: name) == value)
        }
        #expect(task.originalRequest?.allHTTPHeaderFields == request.allHTTPHeaderFields)
    }

    @Test("A field that cannot be sent is the task's error", arguments: ["a\r\nb: c", "a\0b"])
    func invalid(value: String) async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let session = session(Setting { $0.setValue(value, forHTTPHeaderField: "X-Bad") })
        #expect(await Wire.error { try await session.data(from: server.url) }?.code == .badURL)
        #expect(server.requests.isEmpty)
    }

    @Test("Changes of the URL and the method are sent")
    func wholeRequest() async throws {
        let server = try LoopbackServer { .text("\($0.method) \($0.target)") }
        let session = session(
            Setting { request in
                request.setValue("1", forHTTPHeaderField: "X-Before")
                request.urlRequest.httpMethod = "OPTIONS"
                request.urlRequest.url = server.url("/other")
            }
        )
        let (data, _) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "OPTIONS /other")
        #expect(server.requests.first?.header("X-Before") == "1")
    }

    @Test("A failed attempt is described with the fields, and each attempt sets them once")
    func failure() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .text("yes")]))
        let setting = Setting(isRepeating: true) { $0.setValue("secret", forHTTPHeaderField: "X-Token") }
        let (data, _) = try await session(setting).data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "yes")
        #expect(setting.failures.current == ["secret"])
        #expect(server.requests.map { $0.headers.values(for: "X-Token").count } == [1, 1])
    }

    @Test("Credentials do not follow a redirect to another origin, where other fields are set again")
    func redirect() async throws {
        let other = try LoopbackServer { _ in .text("yes") }
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 302, headers: ["Location": other.url.absoluteString])
        }
        let setting = Setting { request in
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            request.setValue("1", forHTTPHeaderField: "X-Token")
        }
        _ = try await session(setting).data(from: server.url)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer secret"])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(other.requests.map { $0.header("X-Token") } == ["1"])
    }

    @Test("A session's accepted credential does not replace the one that an interceptor sets")
    func credentials() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                : .text(request.header("Authorization") ?? "")
        }
        let isSetting = Watched(false)
        let setting = Setting { request in
            if isSetting.current { request.setValue("Bearer secret", forHTTPHeaderField: "Authorization") }
        }
        let session = session(setting, delegate: CredentialDelegate(password: "secret"))
        let (first, _) = try await session.data(from: server.url)
        #expect(String(decoding: first, as: UTF8.self).hasPrefix("Basic "))
        isSetting.change { $0 = true }
        let (second, _) = try await session.data(from: server.url)
        #expect(String(decoding: second, as: UTF8.self) == "Bearer secret")
    }

    @Test("A stored response that varies with a field is used only for the same value")
    func vary() async throws {
        let server = try LoopbackServer { request in
            let headers: LoopbackHeaders = ["Cache-Control": "max-age=600", "Vary": "X-Token"]
            return LoopbackResponse(headers: headers, body: .data(Data((request.header("X-Token") ?? "").utf8)))
        }
        let value = Watched("a")
        let session = session(
            Setting { $0.setValue(value.current, forHTTPHeaderField: "X-Token") },
            cache: HTTPCache()
        )
        for expected in ["a", "a", "b", "a"] {
            value.change { $0 = expected }
            let (data, _) = try await session.data(from: server.url)
            #expect(String(decoding: data, as: UTF8.self) == expected)
        }
        #expect(server.requests.map { $0.header("X-Token") } == ["a", "b"])
    }

    @Test("A download for which an interceptor has set a range is not continued by another range")
    func range() async throws {
        let content = Data(repeating: 7, count: 400_000)
        let server = try LoopbackServer { _ in
            let headers: LoopbackHeaders = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
            var response = LoopbackResponse(statusCode: 200, headers: headers, body: .data(content))
            response.fault = .truncate(afterBodyBytes: 100_000)
            return response
        }
        let session = session(Setting { $0.setValue("bytes=0-", forHTTPHeaderField: "Range") })
        let error = await Wire.error { try await session.download(from: server.url) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.userInfo[URLSessionDownloadTaskResumeData] == nil)
        #expect(server.requests.map { $0.header("Range") } == ["bytes=0-"])
    }
}
