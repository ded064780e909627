import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("Archived operations", .timeLimit(.minutes(60))) struct OperationArchiveTests {
    private let manager = makeOperationManager()

    private func keyed(_ operation: RequestOperation) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: operation, requiringSecureCoding: true)
    }

    @Test("A finished operation is restored completely, and calls its closures when started")
    func finished() async throws {
        let server = try LoopbackServer { _ in .json("[1]", statusCode: 404) }
        let original = HTTPRequestOperation(request: URLRequest(url: server.url("/x")), manager: manager)
        original.responseSerializer = .json
        original.start()
        try await original.settled()
        let copies = [
            try HTTPRequestOperation(archivedData: try original.archivedData(), manager: manager),
            try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperation.self, from: try keyed(original))
            ),
        ]
        for copy in copies {
            #expect(copy.isFinished && copy.request.url == original.request.url)
            #expect(copy.response?.statusCode == 404)
            #expect(copy.response?.mimeType == "application/json")
            #expect(copy.responseData == Data("[1]".utf8) && copy.byteCount == 3)
            #expect(copy.responseSerializer is JSONResponseSerializer)
            #expect(copy.responseObject as? JSONValue == [1])
            #expect(copy.error?.code == .unacceptableStatusCode)
            let ends = Watched(0)
            copy.setCompletion(success: nil) { _, _ in ends.change { $0 += 1 } }
            let queue = OperationQueue()
            let dependent = BlockOperation {}
            dependent.addDependency(copy)
            queue.add([copy, dependent])
            try await ends.wait { $0 == 1 }
            try await eventually { dependent.isFinished && queue.operationCount == 0 }
        }
        #expect(server.requestCount == 1)
    }

    @Test("A running operation is paused, restored as ready, and continues where it stopped")
    func underWay() async throws {
        let entity = PacedEntity(count: 500_000, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let original = RequestOperation(request: URLRequest(url: server.url("/x")), manager: manager)
        original.start()
        try await original.hasReceived(200_000)
        let data = try original.archivedData()
        #expect(original.isPaused)
        entity.state.change { $0.stopsAfter = nil }
        let copy = try RequestOperation(archivedData: data, manager: manager)
        #expect(copy.state == .ready && copy.byteCount == 200_000)
        #expect(copy.responseData == entity.body.prefix(200_000))
        copy.start()
        try await copy.settled()
        #expect(copy.responseData == entity.body)
        #expect(server.requests.last?.header("Range") == "bytes=200000-")
        original.cancel()
    }

    /// Returns an operation from the archive of one that has written 200,000 bytes of an entity to a file.
    private func restored(
        _ entity: PacedEntity,
        _ server: LoopbackServer,
        writingTo file: URL,
        append: Bool = false
    ) async throws -> RequestOperation {
        let original = RequestOperation(request: URLRequest(url: server.url("/x")), manager: manager)
        original.outputStream = FileOutputStream(url: file, append: append)
        original.start()
        try await original.hasReceived(200_000)
        let copy = try RequestOperation(archivedData: try original.archivedData(), manager: manager)
        original.cancel()
        try await original.settled()
        entity.state.change { $0.stopsAfter = nil }
        return copy
    }

    @Test("A file with the bytes received is continued; otherwise the request starts over", arguments: [true, false])
    func files(_ isKept: Bool) async throws {
        let scratch = try TemporaryFolder()
        let file = scratch.file("body")
        let entity = PacedEntity(count: 500_000, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let copy = try await restored(entity, server, writingTo: file)
        #expect(copy.byteCount == 200_000 && copy.responseData == nil)
        copy.outputStream = FileOutputStream(url: file, append: isKept)
        copy.start()
        try await copy.settled()
        #expect(copy.error == nil)
        #expect(try Data(contentsOf: file) == entity.body)
        #expect(server.requests.last?.header("Range") == (isKept ? "bytes=200000-" : nil))
    }

    @Test("A finished operation whose body is in a file is restored without a body, and still succeeds")
    func finishedFile() async throws {
        let scratch = try TemporaryFolder()
        let server = try LoopbackServer { _ in .json("[1]") }
        let original = HTTPRequestOperation(request: URLRequest(url: server.url), manager: manager)
        original.outputStream = FileOutputStream(url: scratch.file("body"))
        original.start()
        try await original.settled()
        let copy = try HTTPRequestOperation(archivedData: try original.archivedData(), manager: manager)
        copy.responseSerializer = .decodable([Int].self)
        #expect(copy.isFinished && copy.byteCount == 3 && copy.responseData == nil && copy.responseString == nil)
        #expect(copy.error == nil && copy.responseObject == nil)
        // The operation does not have the bytes that a stream has received any more, also without an archive.
        original.outputStream = nil
        #expect(original.responseData == nil)
    }

    @Test("What a file had before the body stays, also if the entity has changed", arguments: [true, false])
    func appended(_ changes: Bool) async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("body", String(repeating: "x", count: 100))
        let entity = PacedEntity(count: 500_000, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let copy = try await restored(entity, server, writingTo: file, append: true)
        if changes { entity.state.change { ($0.tag, $0.offset, $0.count) = ("\"v2\"", 11, 100_000) } }
        copy.outputStream = FileOutputStream(url: file, append: true)
        copy.start()
        try await copy.settled()
        #expect(copy.error == nil)
        #expect(try Data(contentsOf: file) == Data(repeating: UInt8(ascii: "x"), count: 100) + entity.body)
        #expect(server.requests.last?.header("Range") == "bytes=200000-")
    }

    /// The output of a restored operation, after 200,000 bytes had arrived in the file.
    enum Kept: CaseIterable, Sendable { case appending, truncating, damaged }

    @Test("A body is never appended to a file of which it is not known what it contains", arguments: Kept.allCases)
    func unknownContents(_ kept: Kept) async throws {
        let scratch = try TemporaryFolder()
        let file = scratch.file("body")
        let entity = PacedEntity(count: 500_000, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let copy = try await restored(entity, server, writingTo: file)
        switch kept {
        case .appending: copy.outputStream = OutputStream(toFileAtPath: file.path, append: true)
        case .truncating: copy.outputStream = OutputStream(toFileAtPath: file.path, append: false)
        case .damaged:
            try entity.body.prefix(500).write(to: file)
            copy.outputStream = FileOutputStream(url: file, append: true)
        }
        copy.start()
        try await copy.settled()
        #expect(copy.error?.code == (kept == .appending ? .fileError : nil))
        let contents = try Data(contentsOf: file)
        #expect(contents == (kept == .appending ? entity.body.prefix(200_000) : entity.body))
    }

    @Test("A stream that is open already, and lacks the bytes received, gets the body from its beginning")
    func openStream() async throws {
        let scratch = try TemporaryFolder()
        let entity = PacedEntity(count: 500_000, stopsAfter: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        let copy = try await restored(entity, server, writingTo: scratch.file("old"))
        let file = scratch.file("new")
        let stream = FileOutputStream(url: file)
        stream.open()
        copy.outputStream = stream
        copy.start()
        try await copy.settled()
        #expect(copy.error == nil)
        #expect(try Data(contentsOf: file) == entity.body)
        #expect(server.requests.last?.header("Range") == nil)
    }

    @Test("An operation that is archived while it ends with an error is restored without the error")
    func ending() throws {
        var record = OperationRecord(request: URLRequest(url: try #require(URL(string: "http://localhost/"))))
        _ = record.start(defaultGroup: DispatchGroup())
        let isEnding = record.endTransfer(nil, error: NetworkError(.connectionLost, message: "lost"))
        #expect(isEnding && record.error != nil)
        let archive = try OperationArchive(try OperationArchive(record).encoded())
        #expect(archive.state == .ready && archive.error == nil)
    }

    @Test("A failed or cancelled operation is restored as such")
    func failed() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.resetBeforeHead) }
        let broken = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        broken.start()
        let cancelled = RequestOperation(request: URLRequest(url: server.url), manager: manager)
        cancelled.cancel()
        let unstarted = try RequestOperation(archivedData: try cancelled.archivedData(), manager: manager)
        #expect(unstarted.isCancelled && unstarted.state == .ready)
        cancelled.start()
        try await broken.settled()
        try await cancelled.settled()
        for (original, code) in [(broken, NetworkError.Code.connectionLost), (cancelled, .cancelled)] {
            let copy = try RequestOperation(archivedData: try original.archivedData(), manager: manager)
            #expect(copy.isFinished && copy.error?.code == code)
            #expect(copy.error?.message == original.error?.message)
            #expect(copy.error?.failingURL == server.url)
            #expect(copy.isCancelled == original.isCancelled)
        }
    }

    @Test("Serializers without closures are restored, and others are replaced by the default")
    func serializers() throws {
        let url = try #require(URL(string: "http://localhost/"))
        func restored(_ serializer: any ValidatingResponseSerializer) throws -> any ValidatingResponseSerializer {
            let operation = HTTPRequestOperation(request: URLRequest(url: url), manager: manager)
            operation.responseSerializer = serializer
            return try HTTPRequestOperation(archivedData: try operation.archivedData(), manager: manager)
                .responseSerializer
        }
        let validation = Validation(statusCodes: [204], contentTypes: ["a/b"])
        let data = try restored(HTTPDataResponseSerializer(validation: validation, maximumBodySize: 7))
        #expect((data as? HTTPDataResponseSerializer)?.validation == validation)
        #expect(data.maximumBodySize == 7)
        #expect(try restored(JSONResponseSerializer(maximumBodySize: 8)).maximumBodySize == 8)
        #expect(try restored(StringResponseSerializer(encoding: .isoLatin1)) is StringResponseSerializer)
        #expect(try restored(PropertyListResponseSerializer()) is PropertyListResponseSerializer)
        #expect(try restored(DecodableResponseSerializer(Int.self)) is HTTPDataResponseSerializer)
    }

    @Test("A request is restored with all its properties")
    func descriptor() throws {
        var request = URLRequest(
            url: try #require(URL(string: "https://localhost/a?b=c#d")),
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: 7
        )
        request.httpMethod = "PATCH"
        request.httpBody = Data([0, 255, 10])
        request.allHTTPHeaderFields = ["X-One": "1", "Accept": "*/*"]
        request.httpShouldHandleCookies = false
        request.allowsCellularAccess = false
        let descriptor = try RequestDescriptor(request)
        let data = try JSONEncoder().encode(descriptor)
        let read = try JSONDecoder().decode(RequestDescriptor.self, from: data)
        #expect(read == descriptor)
        let back = read.urlRequest
        #expect(back.url == request.url && back.httpMethod == "PATCH" && back.httpBody == request.httpBody)
        #expect(back.allHTTPHeaderFields == request.allHTTPHeaderFields)
        #expect(back.cachePolicy == request.cachePolicy && back.timeoutInterval == 7)
        #expect(!back.httpShouldHandleCookies && !back.allowsCellularAccess)
    }

    @Test("A request that cannot be archived is an error, not a different request")
    func unkeepable() throws {
        let url = try #require(URL(string: "http://localhost/"))
        var streamed = URLRequest(url: url)
        streamed.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(throws: NetworkError.self) { try RequestDescriptor(streamed) }
        let operation = RequestOperation(request: streamed, manager: manager)
        #expect(throws: NetworkError.self) { try operation.archivedData() }
        let file = URLRequest(url: URL(fileURLWithPath: "/etc/passwd"))
        #expect(throws: NetworkError.self) { try RequestDescriptor(file) }
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: RequestOperation.self, from: try keyed(operation))
        }
    }

    @Test(
        "An invalid request description is a decoding error",
        arguments: [
            #""url":"file:///etc/passwd""#, #""url":"""#, #""method":"G T""#, #""method":"""#,
            #""headers":{"A B":"x"}"#, "\"headers\":{\"A\":\"x\\r\\nB: y\"}", #""timeoutInterval":-1"#,
            #""cachePolicy":99"#, #""cachePolicy":-1"#, #""url":"http://""#,
        ]
    )
    func hostileDescriptors(_ field: String) throws {
        let request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        let data = try JSONEncoder().encode(RequestDescriptor(request))
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let change = try JSONSerialization.jsonObject(with: Data("{\(field)}".utf8)) as? [String: Any]
        object.merge(try #require(change)) { $1 }
        let changed = try JSONSerialization.data(withJSONObject: object)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RequestDescriptor.self, from: changed) }
    }

    @Test("Data that is not an archive is an error")
    func noArchives() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let archive = try RequestOperation(request: URLRequest(url: url), manager: manager).archivedData()
        var samples = (0..<archive.count).map { archive.prefix($0) }
        samples += [archive + [0], Data("x".utf8) + archive, OperationArchive.seal(Data())]
        samples.append(OperationArchive.seal(Data([255, 255, 255, 255])))
        for sample in samples {
            #expect(throws: NetworkError.self) { try RequestOperation(archivedData: sample, manager: manager) }
        }
        // A slice whose indices do not start at zero is an archive too.
        let slice = (Data([1, 2, 3]) + archive).dropFirst(3)
        #expect(try RequestOperation(archivedData: slice, manager: manager).request.url == url)
    }

    @Test(
        "An archive head with impossible values is refused, and the error names the field",
        arguments: [
            ("byteCount", "9223372036854775807", "byteCount"), ("byteCount", "-1", "byteCount"),
            ("byteCount", "11", "byteCount"),
            ("state", "7", "state"), ("version", "2", "version"), ("byteCount", "1e300", "head"),
            ("streamStart", "-1", "streamStart"), ("streamStart", "9223372036854775807", "streamStart"),
        ]
    )
    func impossibleHeads(_ field: String, _ value: String, _ words: String) throws {
        let sample = try #require(try Self.samples().first { $0.range(of: Data("\"fields\"".utf8)) != nil })
        let payload = Data(sample.dropFirst(OperationArchive.sealLength))
        let end = try #require(payload.firstIndex(of: UInt8(ascii: "\n")))
        let head = String(decoding: payload[..<end], as: UTF8.self)
        let changed = Data(head.replacing(try Regex("\"\(field)\":[0-9]+"), with: "\"\(field)\":\(value)").utf8)
        #expect(changed != Data(head.utf8))
        let archive = OperationArchive.seal(changed + payload[end...])
        let error = #expect(throws: NetworkError.self) { try OperationArchive(archive) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "none")")
    }

    /// Set `FERRY_FUZZ=1000000` for a long run.
    @Test("Mutated archives yield an operation or an error")
    func mutatedArchives() throws {
        let count = ProcessInfo.processInfo.environment["FERRY_FUZZ"].flatMap { Int($0) } ?? 2_000
        let samples = try Self.samples()
        var generator = SeededGenerator(0x0BE2_A710)
        var accepted = 0
        for round in 0..<count {
            let data = Self.mutate(samples[round % samples.count], round % 4, using: &generator)
            do {
                let archive = try OperationArchive(data)
                accepted += 1
                try check(archive)
            } catch let error as NetworkError {
                #expect(error.code == .decodingFailed)
            }
        }
        // The mutations are small enough that some results are still archives.
        #expect(accepted > 0 && accepted < count)
    }

    /// Damages the archive itself, its sealed payload, the text of its head, or a value in the head.
    private static func mutate(_ sample: Data, _ kind: Int, using generator: inout SeededGenerator) -> Data {
        if kind == 0 { return Data(generator.damage([UInt8](sample))) }
        // Seal the payload again; otherwise the checksum would reject every mutation.
        let payload = [UInt8](sample.dropFirst(OperationArchive.sealLength))
        if kind == 1 { return OperationArchive.seal(Data(generator.damage(payload))) }
        let end = payload.firstIndex(of: UInt8(ascii: "\n")) ?? payload.endIndex
        var head = Array(payload[..<end])
        if kind == 2 {
            head = generator.damage(head)
        } else {
            let hostile = [
                "-1", "0", "3", "1e308", "-1e-400", "9223372036854775807", "99999999999999999999", "null", "\"\"", "{}",
                "\"\\u0000\"", "\"attachment; filename*=utf-8''%\"", "\"text/html; charset=\"", "\"http://[::1\"",
                "\"-\"", "\"W/\\\"\"", "[[[[[[[[", "true",
            ]
            let starts = head.indices.filter { head[$0] == UInt8(ascii: ":") && $0 + 1 < head.count }
            if let start = starts.randomElement(using: &generator) {
                let rest = head[(start + 1)...]
                let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? head.endIndex
                head.replaceSubrange(
                    start + 1..<end,
                    with: Array((hostile.randomElement(using: &generator) ?? "").utf8)
                )
            }
        }
        return OperationArchive.seal(Data(head + payload[end...]))
    }

    /// Checks every archive that was accepted.
    private func check(_ archive: OperationArchive) throws {
        #expect(archive.state == .ready || archive.state == .finished)
        #expect(archive.request.url?.isWebAddress == true)
        #expect(archive.body.data.isEmpty || Int64(archive.body.data.count) == archive.body.byteCount)
        _ = try OperationArchive(try archive.encoded())
    }

    private static func samples() throws -> [Data] {
        let url = try #require(URL(string: "https://localhost:8080/path?query=1"))
        var request = URLRequest(url: url, timeoutInterval: 12)
        request.allHTTPHeaderFields = ["Accept": "text/plain", "X-Long": String(repeating: "x", count: 40)]
        request.httpBody = Data("a=b".utf8)
        let response = HTTPURLResponse(
            url: url,
            statusCode: 200,
            httpVersion: "HTTP/1.1",
            headerFields: [
                "Content-Type": "text/plain; charset=utf-8", "Content-Length": "10", "ETag": "\"v1\"",
                "Content-Disposition": "attachment; filename=\"a.txt\"",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
            ]
        )
        var ready = OperationRecord(request: request)
        let plain = ready
        ready.body = ReceivedBody(response: response, request: request, data: Data("01234".utf8), byteCount: 5)
        var finished = ready
        finished.machine = OperationMachine(state: .finished, isCancelled: true)
        finished.error = NetworkError(.cancelled, message: "cancelled", failingURL: url)
        let serializer = ArchivedSerializer(StringResponseSerializer(validation: Validation(contentTypes: ["text/*"])))
        return try [plain, ready, finished].map { try OperationArchive($0, serializer: serializer).encoded() }
    }
}
