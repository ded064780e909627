import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("HTTP request operation managers", .timeLimit(.minutes(5))) struct HTTPRequestOperationManagerTests {
    private func manager(_ server: LoopbackServer, _ path: String = "") -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: server.url(path), configuration: .ephemeral)
        manager.sessionManager.notificationQueue = nil
        return manager
    }

    @Test("The defaults are AFNetworking's")
    func defaults() throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://localhost/v1"))
        #expect(manager.baseURL?.absoluteString == "http://localhost/v1/")
        #expect(manager.requestSerializer is HTTPRequestSerializer)
        #expect(manager.responseSerializer is JSONResponseSerializer)
        #expect(manager.shouldUseCredentialStorage && manager.credential == nil)
        #expect(manager.securityPolicy == SecurityPolicy())
        #expect(HTTPRequestOperationManager().baseURL == nil)
    }

    @Test("The reachability is that of the session manager, and so of the base URL's host")
    func reachability() {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://localhost/v1"))
        #expect(manager.reachability.target == .domain("localhost"))
        #expect(manager.reachability === manager.sessionManager.reachability)
        #expect(HTTPRequestOperationManager().reachability === ReachabilityManager.shared)
        manager.reachability = .shared
        #expect(manager.sessionManager.reachability === ReachabilityManager.shared)
    }

    @Test("POST takes a form as AFNetworking's does, and the response of an operation is an HTTPURLResponse")
    func postForm() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        let fields = Watched<[String?]>([])
        let made = manager.post(
            "echo",
            parameters: ["a": "b"],
            constructingBodyWith: { form in form.append(Data("x".utf8), name: "data") },
            success: { operation, _ in
                let response: HTTPURLResponse? = operation.response
                fields.change { $0.append(response?.value(forHTTPHeaderField: "Content-Type")) }
            }
        )
        let operation = try #require(made)
        try await operation.settled()
        #expect(fields.current == ["application/json"])
        let asBase: RequestOperation = operation
        #expect((asBase.response as? HTTPURLResponse)?.statusCode == 200)
        let seen = try #require(server.requests.first)
        #expect(seen.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        let body = try #require(seen.bodyText)
        #expect(body.contains("name=\"a\"") && body.contains("name=\"data\""))
    }

    @Test("Every verb sends its method, parameters and headers, and parses the response")
    func verbs() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        let headers: HTTPHeaders = ["X-Mine": "yes"]
        let parameters: Parameters = ["a": "b c"]
        let made = [
            manager.get("echo", parameters: parameters, headers: headers, success: nil),
            manager.head("echo", parameters: parameters, headers: headers, success: nil),
            manager.post("echo", parameters: parameters, headers: headers, success: nil),
            manager.put("echo", parameters: parameters, headers: headers, success: nil),
            manager.patch("echo", parameters: parameters, headers: headers, success: nil),
            manager.delete("echo", parameters: parameters, headers: headers, success: nil),
        ]
        for (operation, method) in zip(made, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
            let operation = try #require(operation)
            try await operation.settled()
            #expect(operation.error == nil)
            let seen = try #require(server.requests.first { $0.method == method })
            #expect(seen.header("X-Mine") == "yes")
            let isInURL = ["GET", "HEAD", "DELETE"].contains(method)
            #expect(seen.target == (isInURL ? "/echo?a=b%20c" : "/echo"))
            if !isInURL { #expect(seen.bodyText == "a=b%20c") }
            if method != "HEAD" {
                #expect((operation.responseObject as? JSONValue)?.method?.string == method)
            }
        }
    }

    @Test("A multipart form is sent completely, with its progress")
    func multipart() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        let progress = Watched<ProgressUpdate?>(nil)
        let request = Request.post("upload")
            .parameters(["a": "b"])
            .multipart { $0.append(LoopbackServer.pattern(count: 100_000), name: "data") }
            .uploadProgress { update in progress.change { $0 = update } }
        let operation = try #require(manager.send(request, success: nil))
        try await operation.settled()
        #expect(operation.error == nil)
        let seen = try #require(server.requests.first)
        #expect(seen.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(seen.header("Content-Length") == "\(seen.bodyLength)")
        #expect(progress.current?.completedByteCount == Int64(seen.bodyLength))
        #expect(progress.current?.fractionCompleted == 1)
    }

    @Test("A copy sends a multipart form from its beginning again")
    func multipartAgain() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .json("[1]")]))
        let manager = manager(server)
        let form = LoopbackServer.pattern(count: 100_000)
        let request = Request.post("upload").multipart { $0.append(form, name: "data") }
        let operation = try #require(manager.send(request, success: nil))
        try await operation.settled()
        #expect(operation.response?.statusCode == 503)
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        copy.start()
        try await copy.settled()
        #expect(copy.error == nil)
        let seen = server.requests
        try #require(seen.count == 2)
        #expect(seen[0].bodyLength > 100_000)
        #expect(seen[1].bodySHA256 == seen[0].bodySHA256)
    }

    @Test("A request that cannot be made yields no operation, and fails later on the completion queue")
    func serializationFailure() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "completions")
        queue.setSpecific(key: key, value: true)
        manager.completionQueue = queue
        manager.completionGroup = DispatchGroup()
        let seen = Watched<[String]>([])
        queue.suspend()
        let operation = manager.get("http:///") { _, _ in
            seen.change { $0.append("success") }
        } failure: { operation, error in
            let isRight = operation == nil && DispatchQueue.getSpecific(key: key) == true
            seen.change { $0.append("\(error.code) \(isRight)") }
        }
        #expect(operation == nil)
        #expect(seen.current.isEmpty)
        queue.resume()
        try await seen.wait { $0 == ["badURL true"] }
        try await eventually { manager.completionGroup.wait(timeout: .now()) == .success }
        #expect(manager.operationQueue.operationCount == 0)
        #expect(server.requestCount == 0)
    }

    @Test("The operation queue can be limited and replaced")
    func operationQueue() async throws {
        let running = Watched((now: 0, most: 0))
        let server = try LoopbackServer { _ in
            running.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            Thread.sleep(forTimeInterval: 0.005)
            running.change { $0.now -= 1 }
            return .json("{}")
        }
        let manager = manager(server)
        manager.operationQueue.maxConcurrentOperationCount = 2
        let operations = (0..<12).compactMap { manager.get("\($0)", success: nil) }
        for operation in operations { try await operation.settled() }
        #expect((1...2).contains(running.current.most))
        let queue = OperationQueue()
        queue.isSuspended = true
        manager.operationQueue = queue
        let waiting = try #require(manager.get("later", success: nil))
        #expect(queue.operations == [waiting])
        #expect(manager.completionGroup.wait(timeout: .now()) == .timedOut)
        queue.isSuspended = false
        try await waiting.settled()
        try await eventually { manager.completionGroup.wait(timeout: .now()) == .success }
    }

    @Test("Credential, storage, queue, group and policy are passed to the operation")
    func settings() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        manager.credential = URLCredential(user: "ada", password: "secret", persistence: .none)
        manager.shouldUseCredentialStorage = false
        let group = DispatchGroup()
        manager.completionGroup = group
        let operation = try #require(manager.get("basic-auth/ada/secret", success: nil))
        #expect(operation.credential?.user == "ada" && !operation.shouldUseCredentialStorage)
        #expect(operation.completionQueue === manager.completionQueue)
        #expect(operation.completionGroup === group && manager.completionGroup === group)
        #expect(operation.securityPolicy == manager.securityPolicy)
        try await operation.settled()
        #expect(operation.response?.statusCode == 200)
        // As in AFNetworking, an operation keeps the policy with which it was made.
        try manager.setSecurityPolicy(SecurityPolicy(validatesDomainName: false))
        #expect(operation.securityPolicy == SecurityPolicy())
        #expect(throws: NetworkError.self) {
            try manager.setSecurityPolicy(SecurityPolicy(pinningMode: .publicKey))
        }
    }

    @Test("Operations are cancelled by method and path")
    func cancelling() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("{}").faulted(.stallBeforeHead) }
        let manager = manager(server, "/api/")
        manager.operationQueue.maxConcurrentOperationCount = 100
        let kept = [
            manager.get("b", success: nil), manager.post("a", success: nil), manager.get("/a", success: nil),
            manager.get("a/x", success: nil), manager.get("A%2fx?q=%c3%a9", success: nil),
        ].compactMap { $0 }
        let cancelled = [manager.get("a", success: nil), manager.get("a", parameters: ["q": 1], success: nil)]
            .compactMap { $0 }
        manager.cancelOperations(method: .get, path: "a")
        for operation in cancelled {
            try await operation.settled()
            #expect(operation.error?.isCancelled == true)
        }
        #expect(kept.allSatisfy { !$0.isCancelled })
        manager.cancelOperations(path: "a")
        #expect(kept.map(\.isCancelled) == [false, true, false, false, false])
        for path in ["a?q=2", "http:///", "a%2Fx", "A/x", "A%2Fx?q=%C3%A8"] { manager.cancelOperations(path: path) }
        #expect(kept.map(\.isCancelled) == [false, true, false, false, false])
        // RFC 3986, section 6.2.2.1.
        manager.cancelOperations(path: "A%2Fx?q=%C3%A9")
        #expect(kept.map(\.isCancelled) == [false, true, false, false, true])
        manager.cancelAllOperations()
        for operation in kept { try await operation.settled() }
        try await eventually { manager.operationQueue.operationCount == 0 }
    }

    @Test("Closures that are set on an operation that a verb has started are called from then on")
    func lateClosures() async throws {
        let gate = Gate()
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { _ in
            gate.wait()
            return LoopbackBodyReading()
        }
        let server = try LoopbackServer(configuration: configuration) { request in
            gate.wait()
            return LoopbackServer.standardRoutes(request)
        }
        let manager = manager(server)
        let seen = Watched<[String: Bool]>([:])
        let get = try #require(manager.get("redirect-to?url=/basic-auth/u/p", success: nil))
        let body = String(repeating: "x", count: 9 << 20)
        let post = try #require(manager.post("upload", parameters: body, success: nil))
        try await eventually { gate.arrived > 1 }
        get.redirect = { _, next in
            seen.change { $0["redirect"] = true }
            return next
        }
        get.authenticationChallenge = { _, _ in
            seen.change { $0["challenge"] = true }
            return .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        get.downloadProgress = { _ in seen.change { $0["download"] = true } }
        post.uploadProgress = { _ in seen.change { $0["upload"] = true } }
        gate.open()
        try await get.settled()
        try await post.settled()
        #expect(get.response?.statusCode == 200)
        #expect(Set(seen.current.keys) == ["redirect", "challenge", "download", "upload"])
    }

    @Test("A copy has the base URL, the serializers and the policy")
    func copies() throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://localhost/"))
        manager.requestSerializer = JSONRequestSerializer()
        manager.responseSerializer = HTTPDataResponseSerializer()
        let policy = SecurityPolicy(validatesDomainName: false)
        try manager.setSecurityPolicy(policy)
        let copy = manager.copy()
        #expect(copy.baseURL == manager.baseURL && copy.securityPolicy == policy)
        #expect(copy.requestSerializer is JSONRequestSerializer)
        #expect(copy.responseSerializer is HTTPDataResponseSerializer)
        #expect(copy.operationQueue !== manager.operationQueue)
    }
}
