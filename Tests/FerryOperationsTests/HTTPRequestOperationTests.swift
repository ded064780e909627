import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("HTTP request operations", .timeLimit(.minutes(5))) struct HTTPRequestOperationTests {
    private let manager = makeOperationManager()

    /// The arguments of the two closures.
    private enum End: Equatable, Sendable {
        case success(JSONValue?)
        case failure(NetworkError.Code, JSONValue?)
    }

    private func operation(_ url: URL, _ ends: Watched<[End]>) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: URLRequest(url: url), manager: manager)
        operation.responseSerializer = .json
        operation.setCompletion { _, object in
            ends.change { $0.append(.success(object as? JSONValue)) }
        } failure: { operation, error in
            let object = operation.responseObject as? JSONValue
            ends.change { $0.append(.failure(error.code, object)) }
        }
        return operation
    }

    @Test("Either success or failure is called, once, with the object or the error")
    func ends() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/good": .json("[1]")
            case "/missing": .json("[2]", statusCode: 404)
            case "/damaged": .json("[3")
            case "/broken": LoopbackResponse.json("[4]").faulted(.resetBeforeHead)
            case "/html": .data(Data("<p>".utf8), contentType: "text/html")
            default: .data(Data(), contentType: "text/html")
            }
        }
        let expected: [(String, End)] = [
            ("/good", .success([1])), ("/missing", .failure(.unacceptableStatusCode, [2])),
            ("/damaged", .failure(.decodingFailed, nil)), ("/broken", .failure(.connectionLost, nil)),
            ("/html", .failure(.unacceptableContentType, nil)), ("/empty", .success(nil)),
        ]
        for (path, end) in expected {
            let ends = Watched<[End]>([])
            let operation = operation(server.url(path), ends)
            operation.start()
            try await operation.settled()
            #expect(ends.current == [end], "\(path)")
        }
    }

    @Test("The error of a response names the last request, and the number of attempts")
    func message() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/form": .redirect(to: "/missing", statusCode: 303)
            case "/busy": LoopbackResponse.json("{}", statusCode: 503).adding("Retry-After", "0")
            default: .json("{}", statusCode: 404)
            }
        }
        var form = URLRequest(url: server.url("/form"))
        form.httpMethod = "POST"
        let redirected = HTTPRequestOperation(request: form, manager: manager)
        redirected.start()
        try await redirected.settled()
        let missing = server.url("/missing").absoluteString
        #expect(redirected.error?.message == "Request failed: Not Found (404) for GET \(missing)")
        let busy = HTTPRequestOperation(request: URLRequest(url: server.url("/busy")), manager: manager)
        var policy = RetryPolicy.standard
        policy.maximumRetries = 1
        busy.retryPolicy = policy
        busy.start()
        try await busy.settled()
        let start = "Request failed: Service Unavailable (503) for GET \(server.url("/busy").absoluteString) "
        #expect(busy.error?.message.hasPrefix(start + "(after 2 attempts in ") == true, "\(busy.error as Any)")
        form = URLRequest(url: server.url("/busy"))
        form.httpMethod = "POST"
        let refused = HTTPRequestOperation(request: form, manager: manager)
        refused.retryPolicy = policy
        refused.start()
        try await refused.settled()
        #expect(refused.error?.message.hasSuffix("/busy (a POST request is not sent again)") == true)
    }

    @Test("The failure closure is called for an operation that was cancelled before its start")
    func cancelBeforeStart() async throws {
        let server = try LoopbackServer()
        let ends = Watched<[End]>([])
        let operation = operation(server.url("/json"), ends)
        operation.cancel()
        let queue = OperationQueue()
        queue.addOperation(operation)
        try await operation.settled()
        #expect(ends.current == [.failure(.cancelled, nil)])
        #expect(server.requestCount == 0)
    }

    @Test("The response is parsed once, before the operation finishes and off the callback queue")
    func parsesOnce() async throws {
        struct Counting: ResponseSerializer {
            let count: Watched<Int>
            let queues: Watched<Set<String>>

            func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<String> {
                count.change { $0 += 1 }
                let name = OperationQueue.current?.name ?? "none"
                queues.change { _ = $0.insert(name) }
                return SerializedResponse(value: "parsed")
            }
        }
        let server = try LoopbackServer { _ in .text("x") }
        let count = Watched(0)
        let queues = Watched<Set<String>>([])
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: manager)
        operation.responseSerializer = AnyResponseSerializer(Counting(count: count, queues: queues))
        #expect(operation.responseObject == nil)
        let object = Watched<String?>(nil)
        operation.setCompletion { operation, _ in object.change { $0 = operation.responseObject as? String } }
        operation.start()
        try await operation.settled()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { #expect(operation.responseObject as? String == "parsed") } }
        }
        #expect(object.current == "parsed")
        #expect(count.current == 1)
        #expect(!queues.current.contains(manager.operationQueue.name ?? ""))
    }

    @Test("Setting another serializer discards the parsed object and its error")
    func anotherSerializer() async throws {
        let server = try LoopbackServer { _ in .text("text") }
        let ends = Watched<[End]>([])
        let operation = operation(server.url, ends)
        operation.start()
        try await operation.settled()
        #expect(operation.error?.code == .unacceptableContentType)
        operation.responseSerializer = .string
        #expect(operation.error == nil)
        #expect(operation.responseObject as? String == "text")
        #expect(operation.response?.statusCode == 200)
    }

    @Test("Closures set after the end are called immediately, and a second pair replaces the first")
    func lateClosures() async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let ends = Watched<[End]>([])
        let operation = operation(server.url, ends)
        operation.setCompletion { _, object in ends.change { $0.append(.success("replaced")) } }
        operation.start()
        try await operation.settled()
        #expect(ends.current == [.success("replaced")])
        let queue = DispatchQueue(label: "late")
        let key = DispatchSpecificKey<JSONValue>()
        queue.setSpecific(key: key, value: "late")
        operation.completionQueue = queue
        operation.setCompletion { _, object in
            let place = DispatchQueue.getSpecific(key: key)
            ends.change { $0.append(.success(place)) }
        }
        try await ends.wait { $0.count == 2 }
        #expect(ends.current.last == .success("late"))
    }

    @Test("A body beyond the serializer's limit makes the operation fail", arguments: [true, false])
    func limit(_ hasLength: Bool) async throws {
        let server = try LoopbackServer { _ in
            let response = LoopbackResponse.pattern(count: 5_000_000)
            return hasLength ? response : response.framed(.chunked)
        }
        for (limit, code) in [(4_999_999, NetworkError.Code.responseTooLarge), (5_000_000, nil)] {
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: manager)
            operation.responseSerializer = HTTPDataResponseSerializer(maximumBodySize: limit)
            operation.start()
            try await operation.settled()
            #expect(operation.error?.code == code)
            #expect((operation.responseObject == nil) == (code != nil))
        }
    }

    @Test("A body written to a file is validated but not parsed")
    func toFile() async throws {
        let server = try LoopbackServer { request in
            .data(Data("not JSON".utf8), contentType: "image/png", statusCode: request.path == "/404" ? 404 : 200)
        }
        let scratch = try TemporaryFolder()
        for (path, code) in [("/", NetworkError.Code?.none), ("/404", .unacceptableStatusCode)] {
            let operation = operation(server.url(path), Watched<[End]>([]))
            // The limit applies only to bodies in memory.
            operation.responseSerializer = JSONResponseSerializer(maximumBodySize: 3)
            operation.outputStream = FileOutputStream(url: scratch.file("body"))
            operation.start()
            try await operation.settled()
            #expect(operation.error?.code == code)
            #expect(operation.responseObject == nil)
        }
    }

    @Test("An operation that was paused and resumed parses the whole body")
    func resumed() async throws {
        let json = "[" + Array(repeating: "1", count: 50_000).joined(separator: ",") + "]"
        let stops = Watched(true)
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(
                .data(Data(json.utf8)),
                etag: "one",
                contentType: "application/json",
                for: request
            )
            return stops.current ? response.faulted(.stall(afterBodyBytes: 30_000)) : response
        }
        let ends = Watched<[End]>([])
        let operation = operation(server.url, ends)
        operation.start()
        try await operation.hasReceived(30_000)
        operation.pause()
        stops.change { $0 = false }
        operation.resume()
        try await operation.settled()
        #expect(ends.current.count == 1)
        #expect((operation.responseObject as? JSONValue)?.array?.count == 50_000)
        #expect(server.requests.last?.header("Range") == "bytes=30000-")
    }

    @Test("A copy is a new operation with request, serializer, closures and settings, without stream or completion")
    func copies() async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let ends = Watched<[End]>([])
        let original = operation(server.url, ends)
        original.outputStream = .toMemory()
        original.completionBlock = {}
        original.userInfo = ["a": 1]
        original.credential = URLCredential(user: "u", password: "p", persistence: .none)
        original.redirect = { _, request in request }
        let queue = DispatchQueue(label: "copied")
        original.completionQueue = queue
        let earlyCopy = try #require(original.copy() as? HTTPRequestOperation)
        original.start()
        try await original.settled()
        for copy in [earlyCopy, try #require(original.copy() as? HTTPRequestOperation)] {
            #expect(copy.state == .ready && copy !== original)
            #expect(copy.request == original.request && copy.manager === original.manager)
            #expect(copy.responseSerializer is JSONResponseSerializer)
            #expect(copy.outputStream == nil && copy.completionBlock == nil && copy.response == nil)
            #expect(copy.userInfo["a"] as? Int == 1 && copy.credential?.user == "u")
            #expect(copy.completionQueue === queue)
        }
        #expect(earlyCopy.redirect != nil)
        earlyCopy.start()
        try await earlyCopy.settled()
        #expect(earlyCopy.responseObject as? JSONValue == [1])
        #expect(ends.current.count == 1)
    }
}
