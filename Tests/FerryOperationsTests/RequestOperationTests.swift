import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Ferry
@testable import FerryOperations

@Suite("Request operations", .timeLimit(.minutes(5)), .ownThreads) struct RequestOperationTests {
    private let manager = makeOperationManager()

    private func operation(_ url: URL) -> RequestOperation {
        RequestOperation(request: URLRequest(url: url), manager: manager)
    }

    @Test(
        "An operation in a queue finishes with response, body, text and byte count",
        arguments: [SessionTransport.curl, .system]
    )
    func finishes(_ transport: SessionTransport) async throws {
        let server = try LoopbackServer { _ in .text("héllo") }
        let manager = makeOperationManager(transport: transport)
        let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        #expect(operation.state == .ready)
        #expect(operation.isReady && !operation.isExecuting && !operation.isFinished && operation.isAsynchronous)
        #expect(operation.response == nil && operation.responseData == nil && operation.responseString == nil)
        let queue = OperationQueue()
        queue.addOperation(operation)
        try await operation.settled()
        #expect(operation.isFinished && !operation.isExecuting && !operation.isPaused)
        #expect(operation.responseData == Data("héllo".utf8))
        #expect(operation.responseString == "héllo")
        #expect(operation.responseStringEncoding == .utf8)
        #expect(operation.byteCount == 6)
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(operation.error == nil)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("An operation started manually finishes, and a second start does nothing")
    func startedByHand() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let operation = operation(server.url)
        operation.start()
        #expect(operation.isExecuting || operation.isFinished)
        operation.start()
        try await operation.settled()
        operation.start()
        operation.cancel()
        operation.pause()
        operation.resume()
        #expect(operation.state == .finished)
        #expect(!operation.isCancelled)
        #expect(server.requestCount == 1)
    }

    @Test("The text is decoded with the charset of the response, and as UTF-8 otherwise")
    func encodings() async throws {
        let server = try LoopbackServer { request in
            let type = ["/latin": "text/plain; charset=iso-8859-1", "/odd": "text/plain; charset=none-such"]
            return .data(Data([0x63, 0xE9]), contentType: type[request.path] ?? "text/plain")
        }
        for (path, encoding, text) in [
            ("/latin", String.Encoding.isoLatin1, "cé"), ("/odd", .utf8, nil), ("/", .utf8, nil),
        ] {
            let operation = operation(server.url(path))
            operation.start()
            try await operation.settled()
            #expect(operation.responseStringEncoding == encoding)
            #expect(operation.responseString == text)
        }
    }

    @Test("A transport error is the operation's error")
    func transportError() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").faulted(.resetBeforeHead) }
        let operation = operation(server.url)
        operation.start()
        try await operation.settled()
        #expect(operation.error?.code == .connectionLost)
    }

    @Test("An operation in a queue that is cancelled before its start finishes with -999 and sends nothing")
    func cancelBeforeStart() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let operation = operation(server.url)
        let completions = Watched(0)
        operation.completionBlock = { completions.change { $0 += 1 } }
        operation.cancel()
        #expect(operation.isCancelled && !operation.isFinished)
        let queue = OperationQueue()
        queue.addOperation(operation)
        try await operation.settled()
        #expect(operation.error?.code == .cancelled)
        #expect(operation.error?.nsError.code == -999)
        #expect(operation.error?.failingURL == server.url)
        #expect(completions.current == 1)
        #expect(server.requestCount == 0)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("An operation cancelled while it runs ends with -999 and closes its connection")
    func cancelWhileRunning() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").faulted(.stallBeforeHead) }
        let operation = operation(server.url)
        operation.start()
        try await server.waitForRequests(1, timeout: 40 * patience)
        operation.cancel()
        operation.cancel()
        try await operation.settled()
        #expect(operation.error?.code == .cancelled)
        #expect(operation.isCancelled && operation.isFinished)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("An operation cancelled while it is paused leaves its queue")
    func cancelWhilePaused() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").faulted(.stallBeforeHead) }
        let operation = operation(server.url)
        let unstarted = self.operation(server.url)
        unstarted.pause()
        let queue = OperationQueue()
        queue.add([operation, unstarted])
        try await server.waitForRequests(1, timeout: 40 * patience)
        operation.pause()
        queue.cancelAllOperations()
        try await operation.settled()
        try await unstarted.settled()
        #expect(operation.error?.code == .cancelled)
        #expect(unstarted.error?.code == .cancelled)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("Completion blocks run once on the completion queue within the group, and are released there")
    func completionBlock() async throws {
        final class Token: Sendable {
            let released: @Sendable () -> Void
            init(_ released: @escaping @Sendable () -> Void) { self.released = released }
            deinit { released() }
        }
        let server = try LoopbackServer { _ in .text("hello") }
        let operation = operation(server.url)
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: "completions")
        let group = DispatchGroup()
        let log = Watched<[String]>([])
        operation.completionQueue = queue
        operation.completionGroup = group
        @Sendable func place() -> String { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }
        func makeBlock() -> @Sendable () -> Void {
            let token = Token { log.change { $0.append("released on \(place())") } }
            return { [unowned operation] in
                log.change { $0.append("ran on \(place()), finished \(operation.isFinished)") }
                withExtendedLifetime(token) {}
            }
        }
        operation.completionBlock = makeBlock()
        operation.start()
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        try await log.wait { $0 == ["ran on completions, finished true", "released on completions"] }
        #expect(operation.completionBlock == nil)
        operation.completionBlock = { log.change { $0.append("too late") } }
        #expect(operation.completionBlock == nil)
    }

    @Test("Start and finish post notifications, and so do resume and pause", arguments: [false, true])
    func notifications(_ isCancelled: Bool) async throws {
        let entity = PacedEntity(count: 1000, stopsAfter: 100)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = operation(server.url)
        let log = Watched<[String]>([])
        let names: [Notification.Name] = [.networkingOperationDidStart, .networkingOperationDidFinish]
        let observers = names.map { name in
            manager.notificationCenter.addObserver(forName: name, object: nil, queue: nil) { notification in
                let isOurs = (notification.object as? RequestOperation) === operation
                let name = isOurs ? notification.name.rawValue : "another object"
                log.change { $0.append(name) }
            }
        }
        let (start, finish) = (names[0].rawValue, names[1].rawValue)
        #expect(start == "com.alamofire.networking.operation.start")
        #expect(finish == "com.alamofire.networking.operation.finish")
        operation.start()
        try await operation.hasReceived(100)
        operation.pause()
        operation.pause()
        try await log.wait { $0 == [start, finish] }
        entity.state.change { $0.stopsAfter = nil }
        if isCancelled { operation.cancel() } else { operation.resume() }
        try await operation.settled()
        try await log.wait { $0 == (isCancelled ? [start, finish] : [start, finish, start, finish]) }
        for observer in observers { manager.notificationCenter.removeObserver(observer) }
    }

    @Test("Dependencies, priorities and the queue's limit are honoured")
    func queueing() async throws {
        let log = Watched<[String]>([])
        let running = Watched((now: 0, most: 0))
        let awaited = Watched(1)
        let server = try LoopbackServer { request in
            log.change { $0.append(request.path) }
            running.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            Thread.sleep(forTimeInterval: 0.01)
            for _ in 0..<4_000 where running.current.most < awaited.current { Thread.sleep(forTimeInterval: 0.005) }
            running.change { $0.now -= 1 }
            return .text("ok")
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let low = operation(server.url("/low"))
        let normal = operation(server.url("/normal"))
        let high = operation(server.url("/high"))
        let dependent = operation(server.url("/dependent"))
        low.queuePriority = .veryLow
        high.queuePriority = .veryHigh
        dependent.queuePriority = .veryHigh
        dependent.addDependency(low)
        queue.add([low, dependent, normal, high])
        #expect(!dependent.isReady)
        queue.isSuspended = false
        try await dependent.settled()
        #expect(log.current == ["/high", "/normal", "/low", "/dependent"])
        #expect(running.current.most == 1)
        log.change { $0 = [] }
        awaited.change { $0 = 2 }
        queue.maxConcurrentOperationCount = 3
        let many = (0..<20).map { operation(server.url("/\($0)")) }
        queue.add(many)
        for operation in many { try await operation.settled() }
        #expect((2...3).contains(running.current.most))
    }

    @Test("A paused operation stays in its queue")
    func pausedInQueue() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let first = operation(server.url("/1"))
        let second = operation(server.url("/2"))
        first.pause()
        #expect(first.isPaused && !first.isReady && !first.isExecuting && !first.isFinished)
        queue.add([first, second])
        try await second.settled()
        #expect(queue.operations == [first])
        first.resume()
        try await first.settled()
        #expect(server.requests.map(\.path) == ["/2", "/1"])
        try await eventually { queue.operationCount == 0 }
    }

    @Test("An operation paused before its start is ready after the pause, and runs once started")
    func pausedBeforeStart() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let operation = operation(server.url)
        operation.pause()
        operation.resume()
        #expect(operation.state == .ready)
        operation.pause()
        operation.start()
        #expect(operation.state == .paused)
        operation.resume()
        try await operation.settled()
        #expect(operation.responseString == "ok")
    }

    @Test("A credential answers the first challenge only, and a refusal is delivered as the response")
    func credential() async throws {
        let server = try LoopbackServer()
        let right = operation(server.url("/basic-auth/ada/secret"))
        right.credential = URLCredential(user: "ada", password: "secret", persistence: .none)
        right.start()
        try await right.settled()
        #expect((right.response as? HTTPURLResponse)?.statusCode == 200)
        let manager = makeOperationManager()
        let wrong = RequestOperation(request: URLRequest(url: server.url("/basic-auth/ada/secret")), manager: manager)
        wrong.credential = URLCredential(user: "ada", password: "wrong", persistence: .none)
        wrong.start()
        try await wrong.settled()
        #expect(wrong.error == nil)
        #expect((wrong.response as? HTTPURLResponse)?.statusCode == 401)
        #expect(wrong.responseString == "unauthorized\n")
    }

    @Test("The credential is not sent to another server after a redirect, nor to a proxy", arguments: [true, false])
    func foreignChallenge(_ usesStorage: Bool) async throws {
        let other = try LoopbackServer()
        let target = other.url("/basic-auth/ada/secret").absoluteString
        let redirecting = try LoopbackServer { _ in .redirect(to: target) }
        let proxy = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""])
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [
            "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port, "ExceptionsList": ["127.0.0.1"],
        ]
        let manager = makeOperationManager(configuration)
        for (url, server, status) in [
            (redirecting.url, other, 401), (other.url("/", host: "origin.invalid"), proxy, 407),
        ] {
            let operation = RequestOperation(request: URLRequest(url: url), manager: manager)
            operation.credential = URLCredential(user: "ada", password: "secret", persistence: .none)
            operation.shouldUseCredentialStorage = usesStorage
            operation.start()
            try await operation.settled()
            #expect((operation.response as? HTTPURLResponse)?.statusCode == status)
            #expect(server.requestCount == 1)
            let request = try #require(server.requests.first)
            #expect(request.header("Authorization") == nil && request.header("Proxy-Authorization") == nil)
        }
    }

    @Test(
        "The credential is for the protocol, host and port of the request's URL, and for its host over TLS",
        arguments: [
            ("http://a.example", "http", "a.example", 80, true),
            ("http://A.example:80/x", "http", "a.example", 80, true),
            ("http://[::1]:81", "http", "::1", 81, true), ("http://a.example.", "http", "a.example", 80, false),
            ("http://a.example", "http", "a.example", 81, false), ("http://a.example", "http", "b.example", 80, false),
            ("http://a.example", "https", "a.example", 443, true),
            ("http://a.example:81", "https", "a.example", 81, true),
            ("http://a.example", "https", "a.example", 444, false),
            ("http://a.example", "https", "b.example", 443, false),
            ("https://a.example", "http", "a.example", 80, false),
            ("https://a.example:81", "http", "a.example", 81, false),
        ]
    )
    func credentialSpace(url: String, scheme: String, host: String, port: Int, isOwn: Bool) throws {
        let space = URLProtectionSpace(host: host, port: port, protocol: scheme, realm: "r", authenticationMethod: nil)
        #expect(space.isOfServer(at: try #require(URL(string: url))) == isOwn)
    }

    @Test("The credential storage is consulted unless the operation opts out")
    func credentialStorage() async throws {
        let server = try LoopbackServer()
        for isAllowed in [true, false] {
            let configuration = URLSessionConfiguration.ephemeral
            let storage = URLCredentialStorage()
            let space = URLProtectionSpace(
                host: "127.0.0.1",
                port: server.port,
                protocol: "http",
                realm: "ferry",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            storage.set(URLCredential(user: "ada", password: "secret", persistence: .forSession), for: space)
            storage.setDefaultCredential(
                URLCredential(user: "ada", password: "secret", persistence: .forSession),
                for: space
            )
            configuration.urlCredentialStorage = storage
            let manager = makeOperationManager(configuration)
            let operation = RequestOperation(
                request: URLRequest(url: server.url("/basic-auth/ada/secret")),
                manager: manager
            )
            operation.shouldUseCredentialStorage = isAllowed
            operation.start()
            try await operation.settled()
            #expect((operation.response as? HTTPURLResponse)?.statusCode == (isAllowed ? 200 : 401))
        }
    }

    @Test("Challenge and redirect closures take precedence over the manager's hooks")
    func closures() async throws {
        let server = try LoopbackServer()
        let manager = makeOperationManager()
        manager.hooks.taskWillPerformRedirection = { _, _, _, request in request }
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in .rejectProtectionSpace }
        let refusing = RequestOperation(request: URLRequest(url: server.url("/redirect/1")), manager: manager)
        let seen = Watched<[Int]>([])
        refusing.redirect = { response, _ in
            seen.change { $0.append(response.statusCode) }
            return nil
        }
        refusing.start()
        try await refusing.settled()
        #expect(seen.current == [302])
        #expect((refusing.response as? HTTPURLResponse)?.statusCode == 302)
        let following = RequestOperation(request: URLRequest(url: server.url("/redirect/1")), manager: manager)
        following.start()
        try await following.settled()
        #expect((following.response as? HTTPURLResponse)?.statusCode == 200)
        let asked = RequestOperation(request: URLRequest(url: server.url("/basic-auth/a/b")), manager: manager)
        asked.authenticationChallenge = { challenge, later in
            DispatchQueue.global().async {
                later(.useCredential(URLCredential(user: "a", password: "b", persistence: .none)))
            }
            return .deferred
        }
        asked.start()
        try await asked.settled()
        #expect((asked.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("The cache closure takes precedence over the manager's hook")
    func cacheClosure() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let operation = operation(url)
        operation.cacheResponse = { _ in nil }
        let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let response = CachedURLResponse(response: head, data: Data())
        #expect(operation.record.withLock { $0.settings.hooks(for: nil) }.willCacheResponse?(response) == nil)
        operation.cacheResponse = { $0 }
        #expect(operation.record.withLock { $0.settings.hooks(for: nil) }.willCacheResponse?(response) === response)
    }

    @Test("Upload progress counts the body, and the body stream is sent")
    func upload() async throws {
        let server = try LoopbackServer()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        request.httpBody = LoopbackServer.pattern(count: 300_000)
        let operation = RequestOperation(request: request, manager: manager)
        let sent = Watched<ProgressUpdate?>(nil)
        operation.uploadProgress = { update in sent.change { $0 = update } }
        operation.start()
        try await operation.settled()
        #expect(sent.current == ProgressUpdate(completedByteCount: 300_000, totalByteCount: 300_000))
        var streamed = URLRequest(url: server.url("/upload"))
        streamed.httpMethod = "POST"
        let other = RequestOperation(request: streamed, manager: manager)
        other.inputStream = InputStream(data: LoopbackServer.pattern(count: 300_000))
        #expect(other.inputStream === other.request.httpBodyStream)
        other.start()
        try await other.settled()
        let echo = try JSONDecoder().decode(LoopbackEcho.self, from: try #require(other.responseData))
        #expect(echo.bodySHA256 == LoopbackServer.patternSHA256(count: 300_000))
    }

    @Test("A copy asks for a new stream instead of a form's that can be read only once") func copiedForm() async throws
    {
        let server = try LoopbackServer { .text(String(decoding: $0.body, as: UTF8.self)) }
        var form = MultipartFormData()
        try form.append(inputStream: InputStream(data: Data("once".utf8)), length: 4, name: "a", fileName: "b")
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBodyStream = form.makeInputStream()
        let original = RequestOperation(request: request, manager: manager)
        original.newBodyStream = { InputStream(data: Data("again".utf8)) }
        let copy = try #require(original.copy() as? RequestOperation)
        for operation in [original, copy] {
            operation.start()
            try await operation.settled()
            #expect(operation.error == nil)
        }
        #expect(copy.responseData == Data("again".utf8))
    }

    @Test("A copy does not read the body stream of its original", arguments: [true, false])
    func copiedStream(_ canRepeat: Bool) async throws {
        let server = try LoopbackServer()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: LoopbackServer.pattern(count: 300_000))
        let original = RequestOperation(request: request, manager: manager)
        if canRepeat { original.newBodyStream = { InputStream(data: LoopbackServer.pattern(count: 300_000)) } }
        let copy = try #require(original.copy() as? RequestOperation)
        for operation in [original, copy] {
            operation.start()
            try await operation.settled()
        }
        #expect(original.error == nil)
        #expect(copy.error?.code == (canRepeat ? nil : .bodyStreamExhausted))
        let digest = LoopbackServer.patternSHA256(count: 300_000)
        #expect(server.requests.map(\.bodySHA256) == Array(repeating: digest, count: canRepeat ? 2 : 1))
    }

    @Test("An object that uses the operation when it is released can be replaced") func released() throws {
        let operation = operation(try #require(URL(string: "http://localhost/")))
        let ends = Watched(0)
        operation.inputStream = EndingStream { [unowned operation] in
            if operation.inputStream == nil { ends.change { $0 += 1 } }
        }
        operation.inputStream = nil
        #expect(ends.current == 1)
    }

    /// Calls a closure when it is released.
    private final class EndingStream: InputStream {
        private let atEnd: @Sendable () -> Void

        init(_ atEnd: @escaping @Sendable () -> Void) {
            self.atEnd = atEnd
            super.init(data: Data())
        }

        deinit { atEnd() }
    }

    @Test("Settings are kept, and the description names state and URL")
    func settings() throws {
        let url = try #require(URL(string: "http://localhost/x"))
        let operation = operation(url)
        operation.userInfo = ["number": 7]
        operation.shouldUseCredentialStorage = false
        #expect(operation.userInfo["number"] as? Int == 7)
        #expect(!operation.shouldUseCredentialStorage)
        #expect(operation.securityPolicy == manager.securityPolicy)
        #expect(operation.outputStream == nil && operation.completionQueue == nil && operation.completionGroup == nil)
        #expect(operation.description.contains("state: ready"))
        #expect(operation.description.contains("http://localhost/x"))
        #expect(RequestOperation(request: URLRequest(url: url)).manager === RequestOperation.defaultManager)
    }

    @Test("Pins without https are an error, and operations with the same policy share a session")
    func policies() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let pinned = operation(server.url)
        pinned.securityPolicy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data([1])])
        pinned.start()
        try await pinned.settled()
        #expect(pinned.error?.code == .invalidSecurityPolicy)
        #expect(server.requestCount == 0)
        let policy = SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
        let request = URLRequest(url: server.url)
        let one = try manager.manager(applying: policy, to: request)
        let other = try manager.manager(applying: policy, to: request)
        #expect(one === other && one !== manager)
        #expect(one.securityPolicy == policy)
        #expect(try manager.manager(applying: manager.securityPolicy, to: request) === manager)
        let lenient = operation(server.url)
        lenient.securityPolicy = policy
        lenient.start()
        try await lenient.settled()
        #expect(lenient.responseString == "ok")
    }

    @Test("A manager's adapt(_:) that throws fails the operation")
    func refusedByManager() async throws {
        final class RefusingManager: SessionManager, @unchecked Sendable {
            override func adapt(_ request: URLRequest) throws -> URLRequest {
                throw NetworkError(.authenticationRequired, message: "no token")
            }
        }
        let manager = RefusingManager(configuration: .ephemeral)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let operation = RequestOperation(request: URLRequest(url: url), manager: manager)
        operation.start()
        try await operation.settled()
        #expect(operation.error?.code == .authenticationRequired)
    }

    /// A manager that changes requests in an overridden method, as a subclass may.
    private final class SigningManager: SessionManager, @unchecked Sendable {
        override func adapt(_ request: URLRequest) throws -> URLRequest {
            var request = try super.adapt(request)
            request.setValue("signed", forHTTPHeaderField: "X-Signature")
            return request
        }
    }

    @Test("The manager's own adapt(_:) changes requests also under an operation's security policy")
    func adaptedUnderPolicy() async throws {
        let server = try LoopbackServer { .text($0.header("X-Signature") ?? "unsigned") }
        let manager = SigningManager(configuration: .ephemeral)
        for policy in [nil, SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)] {
            let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
            if let policy { operation.securityPolicy = policy }
            operation.start()
            try await operation.settled()
            #expect(operation.responseString == "signed")
        }
    }

    @Test("An operation that is cancelled while its request is adapted sends nothing")
    func cancelledWhileAdapted() async throws {
        final class SlowManager: SessionManager, @unchecked Sendable {
            let gate = Gate()

            override func adapt(_ request: URLRequest) throws -> URLRequest {
                gate.wait()
                return request
            }
        }
        let server = try LoopbackServer { _ in .text("sent") }
        let manager = SlowManager(configuration: .ephemeral)
        let gate = manager.gate
        let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        Thread.detachNewThread { operation.start() }
        try await eventually("adapt(_:)") { gate.arrived == 1 }
        operation.cancel()
        gate.open()
        try await operation.settled()
        #expect(operation.error?.isCancelled == true)
        // If a request that must not be sent were sent, it would arrive before these requests.
        for _ in 0..<3 { _ = try await manager.session.data(from: server.url) }
        #expect(server.requestCount == 3)
    }

    @Test("Two hundred operations need no threads besides the shared ones")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in LoopbackResponse.text("ok").delayed(0.02) }
            let manager = makeOperationManager()
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 200
            let operations = (0..<200).map { _ in
                RequestOperation(request: URLRequest(url: server.url), manager: manager)
            }
            let before = ProcessUsage.threads
            queue.add(operations)
            var most = 0
            while !operations.allSatisfy(\.isFinished) {
                most = max(most, ProcessUsage.threads - server.openConnectionCount)
                try await Task.sleep(for: .milliseconds(5))
            }
            // One thread belongs to the session; the others belong to the shared pool.
            guard most - before < 40, operations.allSatisfy({ $0.error == nil }) else {
                throw NetworkError(.unknown, message: "\(before) threads became \(most)")
            }
        }
    }

    @Test("Releasing a paused operation leaves its group and closes its stream")
    func freedWhilePaused() async throws {
        let entity = PacedEntity(count: 1000, stopsAfter: 100)
        let server = try LoopbackServer(handler: entity.handler)
        let scratch = try TemporaryFolder()
        let stream = FileOutputStream(url: scratch.file("body"))
        let group = DispatchGroup()
        weak var weakOperation: RequestOperation?
        do {
            let operation = operation(server.url)
            weakOperation = operation
            operation.outputStream = stream
            operation.completionGroup = group
            operation.start()
            try await operation.hasReceived(100)
            operation.pause()
        }
        try await eventually { weakOperation == nil }
        try await eventually { group.wait(timeout: .now()) == .success }
        #expect(stream.streamStatus == .closed)
    }
}
