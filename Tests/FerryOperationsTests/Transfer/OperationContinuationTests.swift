import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

/// RFC 9110, sections 13.1.5, 14.2 and 15.5.17.
@Suite("Pausing and resuming operations", .timeLimit(.minutes(5))) struct OperationContinuationTests {
    private let manager = makeOperationManager()
    private let count = 600_000

    /// Starts an operation whose entity stalls after 200,000 bytes, and pauses it there.
    private func paused(
        _ entity: PacedEntity,
        _ server: LoopbackServer,
        output: OutputStream? = nil
    ) async throws
        -> RequestOperation
    {
        entity.state.change { $0.stopsAfter = 200_000 }
        let operation = RequestOperation(request: URLRequest(url: server.url("/entity")), manager: manager)
        operation.outputStream = output
        operation.start()
        try await operation.hasReceived(200_000)
        operation.pause()
        entity.state.change { $0.stopsAfter = nil }
        return operation
    }

    @Test("A pause keeps the bytes received, and a 206 response brings the rest")
    func continues() async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        #expect(operation.isPaused)
        #expect(operation.byteCount == 200_000)
        #expect(operation.responseData == entity.body.prefix(200_000))
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        operation.resume()
        try await operation.settled()
        #expect(operation.responseData == entity.body)
        #expect(operation.error == nil)
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
        let requests = server.requests
        #expect(requests.count == 2)
        #expect(requests.first?.header("Range") == nil)
        #expect(requests.last?.header("Range") == "bytes=200000-")
        #expect(requests.last?.header("If-Range") == "\"v1\"")
        #expect(requests.last?.header("Accept-Encoding") == "identity")
    }

    @Test("A changed entity arrives with 200, and the body starts over")
    func restarts() async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        entity.state.change { ($0.tag, $0.offset, $0.count) = ("\"v2\"", 11, 100_000) }
        operation.resume()
        try await operation.settled()
        #expect(operation.responseData == entity.body)
        #expect(operation.byteCount == 100_000)
        #expect((operation.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"v2\"")
    }

    @Test("A file stream is continued, and truncated if the entity has changed", arguments: [false, true])
    func fileStream(_ changes: Bool) async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("body", "old contents")
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server, output: FileOutputStream(url: file))
        #expect(try Data(contentsOf: file) == entity.body.prefix(200_000))
        if changes { entity.state.change { ($0.tag, $0.offset, $0.count) = ("\"v2\"", 11, 100_000) } }
        operation.resume()
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(operation.responseData == nil)
        #expect(try Data(contentsOf: file) == entity.body)
        #expect(server.requests.last?.header("Range") == "bytes=200000-")
    }

    @Test("The bytes that an appending stream held before the body survive a new start")
    func appendingStream() async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("body", "before")
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server, output: FileOutputStream(url: file, append: true))
        entity.state.change { ($0.tag, $0.count) = ("\"v2\"", 1000) }
        operation.resume()
        try await operation.settled()
        #expect(try Data(contentsOf: file) == Data("before".utf8) + entity.body)
    }

    @Test("A stream that cannot be truncated is continued, or fails if the entity changed", arguments: [false, true])
    func plainStream(_ changes: Bool) async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server, output: OutputStream.toMemory())
        if changes { entity.state.change { $0.tag = "\"v2\"" } }
        operation.resume()
        try await operation.settled()
        if changes {
            #expect(operation.error?.code == .fileError)
        } else {
            #expect(operation.error == nil)
            #expect(operation.responseData == entity.body)
        }
    }

    @Test("A weak entity tag does not allow continuation")
    func weakTag() async throws {
        let entity = PacedEntity(count: count)
        entity.state.change { $0.tag = "W/\"v1\"" }
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        operation.resume()
        try await operation.settled()
        #expect(server.requests.last?.header("Range") == nil)
        #expect(operation.responseData == entity.body)
    }

    @Test("Without an entity tag, Last-Modified is the validator")
    func lastModified() async throws {
        let entity = PacedEntity(count: count)
        entity.state.change { ($0.tag, $0.modified) = (nil, "Sun, 06 Nov 1994 08:49:37 GMT") }
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        operation.resume()
        try await operation.settled()
        #expect(server.requests.last?.header("If-Range") == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(server.requests.last?.header("Range") == "bytes=200000-")
        #expect(operation.responseData == entity.body)
    }

    /// A wrong or odd 206 response to the request for the rest.
    enum OddAnswer: String, CaseIterable {
        case earlierStart, laterStart, shortRest, otherTotal, otherTag, noRange
    }

    @Test(
        "A 206 response with the wrong range is discarded, and the whole entity is requested",
        arguments: OddAnswer.allCases
    )
    func wrongRange(_ odd: OddAnswer) async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        let total = count
        entity.state.change { state in
            let whole = state
            state.answer = { request in
                guard request.header("Range") != nil else { return PacedEntity.respond(whole, request) }
                let (first, last, size): (Int, Int, Int) =
                    switch odd {
                    case .earlierStart: (100_000, total - 1, total)
                    case .laterStart: (200_001, total - 1, total)
                    case .shortRest: (200_000, total - 2, total)
                    case .otherTotal: (200_000, total, total + 1)
                    case .otherTag, .noRange: (200_000, total - 1, total)
                    }
                var response = LoopbackResponse(statusCode: 206, body: .pattern(count: last - first + 1, offset: 7))
                if odd != .noRange { response.headers.add("Content-Range", "bytes \(first)-\(last)/\(size)") }
                response.headers.add("ETag", odd == .otherTag ? "\"v9\"" : "\"v1\"")
                return response
            }
        }
        operation.resume()
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(operation.responseData == entity.body)
        #expect(server.requestCount == 3)
        #expect(server.requests.last?.header("Range") == nil)
    }

    @Test("A 416 response ends the body if its length matches, and starts over otherwise", arguments: [0, 1])
    func unsatisfiable(_ surplus: Int) async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        // Without an announced length, the operation cannot know that the body was already complete.
        entity.state.change { state in
            let whole = state
            state.answer = { request in
                guard request.header("Range") != nil else {
                    if surplus == 1, request.connectionRequestIndex > 0 { return PacedEntity.respond(whole, request) }
                    return LoopbackResponse(headers: ["ETag": "\"v1\""], body: .pattern(count: 200_000))
                        .framed(.chunked).faulted(.stall(afterBodyBytes: 200_000))
                }
                return LoopbackResponse(statusCode: 416, headers: ["Content-Range": "bytes */\(200_000 + surplus)"])
            }
        }
        let operation = RequestOperation(request: URLRequest(url: server.url("/entity")), manager: manager)
        operation.start()
        try await operation.hasReceived(200_000)
        operation.pause()
        operation.resume()
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(operation.responseData == LoopbackServer.pattern(count: surplus == 0 ? 200_000 : count))
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("Any other status for the request for the rest is the response")
    func otherStatus() async throws {
        let entity = PacedEntity(count: count)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = try await paused(entity, server)
        entity.state.change { $0.answer = { _ in .text("gone", statusCode: 410) } }
        operation.resume()
        try await operation.settled()
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 410)
        #expect(operation.responseString == "gone")
    }

    @Test("Progress is right across a continuation, and after a new start")
    func progress() async throws {
        let entity = PacedEntity(count: count, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let operation = RequestOperation(request: URLRequest(url: server.url("/entity")), manager: manager)
        let updates = Watched<[ProgressUpdate]>([])
        operation.downloadProgress = { update in updates.change { $0.append(update) } }
        operation.start()
        try await operation.hasReceived(200_000)
        operation.pause()
        operation.resume()
        try await operation.hasReceived(400_000)
        operation.pause()
        entity.state.change { ($0.stopsAfter, $0.tag, $0.count) = (nil, "\"v2\"", 50_000) }
        operation.resume()
        try await operation.settled()
        let seen = updates.current
        let restart = try #require(seen.lastIndex { $0.completedByteCount == 0 })
        let first = seen[..<restart]
        #expect(first.allSatisfy { $0.totalByteCount == Int64(count) })
        #expect(first.map(\.completedByteCount) == first.map(\.completedByteCount).sorted())
        #expect(first.last?.completedByteCount == 400_000)
        #expect(seen[restart...].allSatisfy { $0.totalByteCount == 50_000 })
        #expect(seen.last?.completedByteCount == 50_000)
    }

    @Test("A pause before the response, of a POST, or with the caller's own Range starts over")
    func nothingToContinue() async throws {
        let entity = PacedEntity(count: 1000)
        let server = try LoopbackServer { request in
            entity.state.current.stopsAfter == nil
                ? .text(request.header("Range") ?? request.bodyText ?? "none")
                : LoopbackResponse.text("stalled").faulted(.stallBeforeHead)
        }
        var post = URLRequest(url: server.url)
        post.httpMethod = "POST"
        post.httpBody = Data("body".utf8)
        var ranged = URLRequest(url: server.url)
        ranged.setValue("bytes=1-2", forHTTPHeaderField: "Range")
        for (request, expected) in [(URLRequest(url: server.url), ""), (post, "body"), (ranged, "bytes=1-2")] {
            entity.state.change { $0.stopsAfter = 0 }
            server.reset()
            let operation = RequestOperation(request: request, manager: manager)
            operation.start()
            try await server.waitForRequests(1, timeout: 40 * patience)
            operation.pause()
            entity.state.change { $0.stopsAfter = nil }
            operation.resume()
            try await operation.settled()
            #expect(operation.responseString == expected)
            #expect(server.requestCount == 2)
            #expect(server.requests.last?.header("If-Range") == nil)
        }
    }

    @Test("A body stream that has been sent needs a new one after a pause")
    func bodyStreams() async throws {
        let isStalling = Watched(true)
        let server = try LoopbackServer { request in
            isStalling.current
                ? LoopbackResponse.text("").faulted(.stallBeforeHead) : .text(request.bodyText ?? "none")
        }
        for hasAnother in [false, true] {
            isStalling.change { $0 = true }
            server.reset()
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            let operation = RequestOperation(request: request, manager: manager)
            operation.inputStream = InputStream(data: Data("streamed".utf8))
            if hasAnother { operation.newBodyStream = { InputStream(data: Data("streamed".utf8)) } }
            operation.start()
            try await server.waitForRequests(1, timeout: 40 * patience)
            operation.pause()
            isStalling.change { $0 = false }
            operation.resume()
            try await operation.settled()
            if hasAnother {
                #expect(operation.responseString == "streamed")
            } else {
                #expect(operation.error?.code == .bodyStreamExhausted)
            }
        }
    }

    @Test("A form whose one-shot part was not read before a pause is sent after it, and one that was read is not")
    func oneShotPart() async throws {
        let isStalling = Watched(true)
        let server = try LoopbackServer { request in
            isStalling.current
                ? LoopbackResponse.text("").faulted(.stallBeforeHead) : .text(request.bodyText ?? "none")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = makeOperationManager(configuration)
        let operations = try (0..<2).map { number in
            var form = MultipartFormData()
            try form.append(inputStream: InputStream(data: Data("once".utf8)), length: 4, name: "a", fileName: "a")
            var request = URLRequest(url: server.url("/\(number)"))
            request.httpMethod = "POST"
            return RequestOperation(request: try form.apply(to: request), manager: manager)
        }
        operations[0].start()
        try await server.waitForRequests(1, timeout: 40 * patience)
        // It waits for the connection.
        operations[1].start()
        try await eventually("the task") { operations[1].record.withLock { $0.hasUsedBodyStream } }
        for operation in operations.reversed() { operation.pause() }
        isStalling.change { $0 = false }
        for operation in operations { operation.resume() }
        for operation in operations { try await operation.settled() }
        #expect(operations[0].error?.code == .bodyStreamExhausted)
        #expect(operations[1].error == nil && operations[1].responseString?.contains("once") == true)
    }

    @Test("Fifty megabytes paused and resumed five times arrive exactly, though the entity changes once")
    func fiftyMegabytes() async throws {
        let count = 50_000_000
        let entity = PacedEntity(count: count, stopsAfter: 7_000_000)
        let server = try LoopbackServer(handler: entity.handler)
        let scratch = try TemporaryFolder()
        let file = scratch.file("body")
        let operation = RequestOperation(request: URLRequest(url: server.url("/entity")), manager: manager)
        operation.outputStream = FileOutputStream(url: file)
        operation.start()
        var expected: Int64 = 0
        for pause in 1...5 {
            expected += 7_000_000
            let tag = entity.state.current.tag
            try await eventually { operation.tag == tag }
            try await operation.hasReceived(expected)
            operation.pause()
            if pause == 3 {
                entity.state.change { ($0.tag, $0.offset) = ("\"v2\"", 1234) }
                expected = 0
            }
            if pause == 5 { entity.state.change { $0.stopsAfter = nil } }
            operation.resume()
        }
        try await operation.settled()
        #expect(operation.error == nil)
        #expect(operation.byteCount == Int64(count))
        #expect(try Data(contentsOf: file) == entity.body)
        #expect(
            server.requests.map { $0.header("Range") } == [
                nil, "bytes=7000000-", "bytes=14000000-", "bytes=21000000-", "bytes=7000000-", "bytes=14000000-",
            ]
        )
    }
}

extension RequestOperation {
    fileprivate var tag: String? { (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") }
}
