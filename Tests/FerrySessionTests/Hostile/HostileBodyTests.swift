import FerrySession
import TestSupport
import Testing

/// Bodies that decompress to far too much, or never end.
@Suite("Hostile bodies", .ownThreads, .timeLimit(.minutes(5)))
struct HostileBodyTests {
    private func server(_ body: Data, coding: String, status: String = "200 OK\r\n") throws -> RawServer {
        try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(status)Content-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.write(body)
        }
    }

    @Test("Layers of empty blocks end in an error and delay no other request", arguments: TaskKind.allCases)
    func emptyBlocks(_ kind: TaskKind) async throws {
        let server = try server(Bombs.emptyBlocks, coding: "gzip, gzip, gzip, gzip")
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
        }
        #expect(error?.code == .cannotDecodeContentData)
        #expect(error?.ferryCode == .responseTooLarge)
    }

    /// The engine stops decoding for other requests, and the response is held back for a decision.
    @Test(
        "Layers of empty blocks in a response that is not the last one end too",
        arguments: [
            "302 Found\r\nLocation: /x\r\n", "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n",
            "503 Service Unavailable\r\n",
        ],
        ["gzip, gzip, gzip, gzip"]
    )
    func heldEmptyBlocks(_ status: String, _ coding: String) async throws {
        let server = try server(Bombs.emptyBlocks, coding: coding, status: status)
        var options = CurlSession.Options()
        var policy = RetryPolicy.standard
        policy.maximumRetries = 1
        policy.backoff = .init(base: 0.01, cap: 0.01)
        options.retryPolicy = policy
        options.deadline = 60
        let session = Wire.session(options: options)
        let error = try await Bystander.watching(session) {
            await Wire.error { try await session.data(from: server.url()) }
        }
        #expect(error != nil)
        #expect(error?.ferryCode != .deadlineExceeded)
    }

    @Test("A nested bomb ends at the limit", arguments: TaskKind.allCases)
    func nested(_ kind: TaskKind) async throws {
        let server = try server(Bombs.nestedZeros, coding: "gzip, gzip")
        var options = CurlSession.Options()
        options.decodingLimits.sizeWithoutRatio = 1_000_000
        let session = Wire.session(options: options)
        let error = try await Bystander.watching(session) {
            await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
        }
        #expect(error?.ferryCode == .responseTooLarge)
    }

    @Test("The decompression limits can be changed") func changed() async throws {
        let server = try server(Samples.gzip, coding: "gzip")
        var options = CurlSession.Options()
        #expect(try await Wire.session(options: options).data(from: server.url()).0 == Samples.text)
        options.decodingLimits.maximumSize = Int64(Samples.text.count - 1)
        let small = await Wire.error { try await Wire.session(options: options).data(from: server.url()) }
        #expect(small?.ferryCode == .responseTooLarge)
        options.decodingLimits.maximumSize = Int64(Samples.text.count)
        #expect(try await Wire.session(options: options).data(from: server.url()).0 == Samples.text)
        options.decodingLimits.maximumCodings = 0
        let none = await Wire.error { try await Wire.session(options: options).data(from: server.url()) }
        #expect(none?.ferryCode == .responseTooLarge)
    }

    @Test("More than five codings are refused", arguments: TaskKind.allCases)
    func codings(_ kind: TaskKind) async throws {
        let server = try server(Data("ok".utf8), coding: Array(repeating: "gzip", count: 6).joined(separator: ", "))
        let error = await Wire.error { try await kind.send(Wire.request(server.url()), in: Wire.session()) }
        #expect(error?.code == .cannotDecodeContentData)
        #expect(error?.localizedDescription.contains("6 content codings") == true)
    }

    @Test("A body beyond the memory limit is an error if the session collects it") func memory() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(Data(count: 65_536)) {}
        }
        var options = CurlSession.Options()
        options.maximumBodySizeInMemory = 1_000_000
        for kind in [TaskKind.data, .upload, .async] {
            let error = await Wire.error {
                try await kind.send(Wire.request(server.url()), in: Wire.session(options: options))
            }
            #expect(error?.code == .dataLengthExceedsMaximum, "\(kind)")
            #expect(error?.ferryCode == .responseTooLarge, "\(kind)")
        }
    }

    private func endless(_ head: String) throws -> RawServer {
        try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(head)\r\nContent-Length: 100000000000\r\n\r\n")
            while connection.write(Data(count: 65_536)) {}
        }
    }

    @Test("The endless body of a challenge without a credential ends in an error", arguments: [TaskKind.data, .async])
    func unwanted(_ kind: TaskKind) async throws {
        let server = try endless("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"")
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.ferryCode == .responseTooLarge)
    }

    @Test("The endless body of a challenge ends in an error for a call with a delegate")
    func unwantedAndTold()
        async throws
    {
        let server = try endless("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"")
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await session.data(for: Wire.request(server.url()), delegate: RecordingDelegate()) }
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.ferryCode == .responseTooLarge)
    }

    @Test("The endless body of a redirect that is not followed ends in an error") func refusedRedirect() async throws {
        let server = try endless("302 Found\r\nLocation: /next")
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in answer(nil) }
        let session = Wire.session(RecordingDelegate(hooks))
        let error = await Wire.error { try await TaskKind.data.send(Wire.request(server.url()), in: session) }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }

    @Test("A redirect is followed without waiting for the end of its body") func redirect() async throws {
        let server = try RawServer { connection in
            if connection.readHead().contains("/next") {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                return
            }
            connection.write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 100000000000\r\n\r\n")
            while connection.write(Data(count: 65_536)) {}
        }
        for kind in TaskKind.allCases {
            #expect(try await kind.send(Wire.request(server.url()), in: Wire.session()) == Data("ok".utf8))
        }
    }

    /// RFC 9112, section 7.1.
    @Test(
        "Invalid chunks end in an error",
        arguments: [
            "-1", "FFFFFFFFFFFFFFFFF", "7FFFFFFFFFFFFFFF", "0x5", "5;" + String(repeating: "x", count: 100_000), "g",
        ]
    )
    func chunks(_ size: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n")
        }
        let session = Wire.session()
        for kind in TaskKind.allCases {
            let error = await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
            #expect(error != nil, "\(kind)")
        }
        try await Bystander.expectService(of: session)
    }
}
