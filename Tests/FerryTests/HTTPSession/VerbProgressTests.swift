import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Progress and forms of the verbs", .timeLimit(.minutes(5)))
struct VerbProgressTests {
    private struct Album: Encodable, Sendable {
        var album: String
    }

    @Test("GET reports the progress of the response, on the operation queue by default", arguments: TestTransport.all)
    func download(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 300_000) }
        let manager = transport.manager(baseURL: server.url)
        manager.responseSerializer = .data
        let updates = Watched<[ProgressUpdate]>([])
        let queues = Watched<Set<OperationQueue?>>([])
        let bodies = Watched<[Data]>([])
        manager.get("plain", parameters: ["a": 1], headers: ["X-A": "b"]) { update in
            updates.change { $0.append(update) }
            let queue = OperationQueue.current
            queues.change { $0.insert(queue) }
        } completionHandler: { response in
            bodies.change { $0.append(response.data ?? Data()) }
        }
        try await bodies.wait { $0.count == 1 }
        let progress: ProgressHandler = { update in updates.change { $0 = [update] } }
        manager.get("encoded", parameters: .encoding(Album(album: "sea")), progress: progress) { response in
            bodies.change { $0.append(response.data ?? Data()) }
        }
        try await bodies.wait { $0.count == 2 }
        #expect(bodies.current == Array(repeating: LoopbackServer.pattern(count: 300_000), count: 2))
        #expect(updates.current.last == ProgressUpdate(completedByteCount: 300_000, totalByteCount: 300_000))
        #expect(queues.current == [manager.operationQueue])
        #expect(server.requests.map(\.target) == ["/plain?a=1", "/encoded?album=sea"])
    }

    @Test("POST reports the progress of the request, on the progress queue", arguments: TestTransport.all)
    func upload(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let manager = transport.manager(baseURL: server.url)
        let queue = DispatchQueue(label: "progress")
        manager.progressQueue = queue
        let text = String(repeating: "x", count: 200_000)
        let updates = Watched<[ProgressUpdate]>([])
        let lengths = Watched<[Int?]>([])
        let progress: ProgressHandler = { update in
            dispatchPrecondition(condition: .onQueue(queue))
            updates.change { $0.append(update) }
        }
        manager.post("echo", parameters: ["text": text], progress: progress) { response in
            lengths.change { $0.append((response.value as? JSONValue)?.bodyLength?.int) }
        }
        try await lengths.wait { $0.count == 1 }
        #expect(lengths.current == [text.utf8.count + 5])
        let last = updates.current.last
        #expect(last == ProgressUpdate(completedByteCount: 200_005, totalByteCount: 200_005))
    }

    @Test("POST sends a multipart form as AFNetworking's does", arguments: TestTransport.all)
    func form(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let manager = transport.manager(baseURL: server.url)
        let updates = Watched<ProgressUpdate?>(nil)
        let done = Watched<[NetworkError?]>([])
        let handler: @Sendable (TaskResponse<any Sendable>) -> Void = { response in
            done.change { $0.append(response.error) }
        }
        manager.post(
            "echo",
            parameters: ["album": "sea"],
            headers: [:],
            constructingBodyWith: { form in try form.append(Data("x".utf8), name: "photo", fileName: "x.png") },
            progress: { update in updates.change { $0 = update } },
            completionHandler: handler
        )
        try await done.wait { $0.count == 1 }
        manager.post("echo", parameters: .encoding(Album(album: "sea"))) { form in
            try form.append(Data("x".utf8), name: "photo", fileName: "x.png")
        } completionHandler: { response in
            handler(response)
        }
        try await done.wait { $0.count == 2 }
        #expect(done.current.allSatisfy { $0 == nil })
        let seen = server.requests
        try #require(seen.count == 2)
        for request in seen {
            #expect(request.method == "POST")
            #expect(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
            let body = try #require(request.bodyText)
            #expect(body.contains("name=\"album\"") && body.contains("filename=\"x.png\""))
        }
        #expect(updates.current?.completedByteCount == Int64(seen[0].bodyLength))
        #expect(updates.current?.fractionCompleted == 1)
    }

    @Test("A trailing closure alone is the completion handler")
    func trailingClosure() async throws {
        let server = try LoopbackServer()
        let manager = TestTransport.all[0].manager(baseURL: server.url)
        let statuses = Watched<[Int?]>([])
        manager.get("echo") { response in statuses.change { $0.append(response.statusCode) } }
        manager.post("echo", parameters: ["a": 1]) { response in statuses.change { $0.append(response.statusCode) } }
        manager.get("echo") { _ in statuses.change { $0.append(200) } }
        manager.post("echo") { _ in statuses.change { $0.append(200) } }
        try await statuses.wait { $0.count == 4 }
        #expect(statuses.current == [200, 200, 200, 200])
    }

    @Test("A form that cannot be made is passed to the handler of POST")
    func brokenForm() async throws {
        struct Refusal: Error {}
        let manager = TestTransport.all[0].manager(baseURL: URL(string: "http://127.0.0.1:9/"))
        let done = Watched<NetworkError?>(nil)
        let task = manager.post("x") { _ in
            throw Refusal()
        } completionHandler: { response in
            done.change { $0 = response.error }
        }
        #expect(task == nil)
        try await done.wait { $0 != nil }
        #expect(done.current?.underlyingError is Refusal)
    }

    @Test("A stream reports the progress of its request's body") func stream() async throws {
        let server = try LoopbackServer { .text("\($0.body.count)") }
        let manager = HTTPSessionManager(baseURL: server.url)
        let updates = Watched<[ProgressUpdate]>([])
        let body = RequestBody {
            AsyncStream<Data> { continuation in
                continuation.yield(Data(count: 1_000))
                continuation.finish()
            }
        }
        let request = Request(.post, "x", serializer: .data).body(body).uploadProgress { updates.append($0) }
        var received = Data()
        for try await piece in manager.stream(request) { received += piece }
        #expect(received == Data("1000".utf8))
        try await updates.wait { $0.last?.completedByteCount == 1_000 }
    }

    @Test("A body takes the place of a form") func bodyAndForm() async throws {
        let server = try LoopbackServer { request in
            .text("\(request.header("Content-Type") ?? "none") \(String(decoding: request.body, as: UTF8.self))")
        }
        let manager = HTTPSessionManager(baseURL: server.url)
        let body = RequestBody {
            AsyncStream<Data> { continuation in
                continuation.yield(Data("body".utf8))
                continuation.finish()
            }
        }
        let request = Request(.post, "x", serializer: .string)
            .multipart { $0.append(Data("form".utf8), name: "b") }
            .body(body)
        #expect(await manager.response(for: request).value == "application/x-www-form-urlencoded body")
    }
}
