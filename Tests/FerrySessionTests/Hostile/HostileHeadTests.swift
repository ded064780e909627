import FerrySession
import TestSupport
import Testing

/// Responses whose header is designed to break the client.
@Suite("Hostile headers", .ownThreads, .timeLimit(.minutes(5)))
struct HostileHeadTests {
    /// Responds to every request with the same bytes, and closes.
    private func server(_ response: String) throws -> RawServer {
        try RawServer { connection in
            connection.readHead()
            connection.write(response)
        }
    }

    private func error(_ kind: TaskKind, _ response: String) async throws -> URLError {
        let server = try server(response)
        let session = Wire.session()
        let error = await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
        try await Bystander.expectService(of: session)
        return try #require(error)
    }

    @Test("The largest possible length ends in an error on every kind of task", arguments: TaskKind.allCases)
    func largestLength(_ kind: TaskKind) async throws {
        let error = try await error(kind, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello")
        #expect(error.code == .networkConnectionLost)
    }

    @Test("The progress of a task stays in range with the largest possible length")
    func progress() async throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello")
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let task = session.uploadTask(with: Wire.request(server.url(), "POST"), from: Data("12345".utf8))
        let parent = Progress(totalUnitCount: 1)
        parent.addChild(task.progress, withPendingUnitCount: 1)
        let outcome = try await recorder.run(task)
        #expect(outcome.error?.code == .networkConnectionLost)
        #expect(task.countOfBytesExpectedToReceive == .max && task.countOfBytesReceived == 5)
        #expect((0...1).contains(parent.fractionCompleted))
    }

    /// RFC 9112, sections 5.1, 6.1 and 6.3.
    @Test(
        "An invalid length or coding is an error that names it",
        arguments: [
            ("Content-Length: 99999999999999999999", "99999999999999999999"), ("Content-Length: 5abc", "5abc"),
            ("Content-Length: 0x5", "0x5"), ("Content-Length: 2x", "2x"), ("Content-Length: 5, 6", "5 and 6"),
            ("Content-Length: +5", "+5"), ("Content-Length : 5", "Content-Length "),
            ("Transfer-Encoding: gzip", "gzip"),
            ("Transfer-Encoding: gzip, chunked", "gzip, chunked"), ("A B: c", "\"A …\""),
        ]
    )
    func framing(_ line: String, _ mention: String) async throws {
        for kind in TaskKind.allCases {
            let error = try await error(kind, "HTTP/1.1 200 OK\r\n\(line)\r\n\r\nhello")
            #expect(error.code == .cannotParseResponse, "\(kind)")
            #expect(error.ferryCode == .malformedResponse, "\(kind)")
            // Where libcurl refuses the field before Ferry gets it, the text may name the field and not its value.
            let name = line.prefix { $0 != ":" }
            let text = error.localizedDescription
            #expect(text.contains(mention) || text.contains(name), "\(text)")
        }
    }

    @Test("A repeated equal length is one length") func sameLength() async throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello")
        for kind in TaskKind.allCases {
            let data = try await kind.send(Wire.request(server.url()), in: Wire.session())
            #expect(data == Data("hello".utf8))
        }
    }

    /// libcurl 7.83 to 8.0 append such a line to a field of the previous response, whose memory is already freed.
    @Test("A header that begins with a folded line does no harm on a handle that was used before", arguments: 1...5)
    func foldedFirstLine(_ fields: Int) async throws {
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let many = (0..<fields).map { "X-\($0): \(String(repeating: "v", count: 50 * $0))\r\n" }.joined()
                let folded = head.contains("/folded") ? " X: \(String(repeating: "b", count: 200))\r\n" : many
                connection.write("HTTP/1.1 200 OK\r\n\(folded)Content-Length: 2\r\n\r\nok")
            }
        }
        let session = Wire.session()
        for _ in 0..<20 {
            _ = try await session.data(from: server.url("/plain"))
            // Whether the field is refused or ignored depends on the version of libcurl.
            if let error = await Self.failure({ try await session.data(from: server.url("/folded")) }) {
                #expect(error.code == .cannotParseResponse)
            }
        }
        try await Bystander.expectService(of: session)
    }

    private static func failure(_ body: () async throws -> some Any) async -> URLError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? URLError
        }
    }

    @Test(
        "A header beyond the limits is refused, and delays no other request",
        arguments: [
            (count: 2_000, line: "X: y\r\n"), (count: 13_500, line: "Set-Cookie: a=b\r\n"),
            (count: 400, line: "X: \(String(repeating: "v", count: 1_000))\r\n"),
        ]
    )
    func limits(_ lines: (count: Int, line: String)) async throws {
        let fields = String(repeating: lines.line, count: lines.count)
        let server = try server("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        let session = Wire.session()
        for kind in TaskKind.allCases {
            let error = try await Bystander.watching(session) {
                await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
            }
            #expect(error?.code == .dataLengthExceedsMaximum, "\(kind)")
            #expect(error?.ferryCode == .responseTooLarge, "\(kind)")
        }
    }

    @Test("A flood of interim responses ends", arguments: [100, 103])
    func interimFlood(_ status: Int) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            let flood = String(repeating: "HTTP/1.1 \(status) X\r\nA: b\r\n\r\n", count: 1_000)
            while connection.write(flood) {}
        }
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await session.data(from: server.url()) }
        }
        #expect(error?.ferryCode == .responseTooLarge)
    }

    @Test("Trailers beyond the limit are refused") func trailers() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n")
            let line = String(repeating: "X: \(String(repeating: "v", count: 1_000))\r\n", count: 10)
            while connection.write(line) {}
        }
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await session.data(from: server.url()) }
        }
        #expect(error != nil)
    }

    @Test("A header that never ends is refused at the limit") func endless() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nX: ")
            while connection.write(String(repeating: "v", count: 65_536)) {}
        }
        let session = Wire.session()
        let error = try await Bystander.watching(session) {
            await Wire.error { try await session.data(from: server.url()) }
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.ferryCode == .responseTooLarge)
        #expect(error?.localizedDescription.contains("header is longer than libcurl accepts") == true)
    }

    /// The server chooses the user name and password in a redirect.
    @Test("Credentials in a redirect's location are not sent", arguments: [false, true])
    func redirectCredentials(_ isOtherOrigin: Bool) async throws {
        let target = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let first = try RawServer { connection in
            let head = connection.readHead()
            if head.contains("/target") {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                return
            }
            let port = isOtherOrigin ? target.port : (Self.port(in: head) ?? 0)
            let location = "http://ada:s3cret@127.0.0.1:\(port)/target"
            connection.write("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
        let session = Wire.session()
        let (_, response) = try await session.data(from: first.url())
        #expect(response.url?.user == nil && response.url?.password == nil)
        session.invalidateAndCancel()
        try await eventually { (first.texts + target.texts).contains { $0.contains("/target") } }
        #expect(!(first.texts + target.texts).contains { $0.lowercased().contains("authorization") })
    }

    private static func port(in head: String) -> Int? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host:") }
        return line?.split(separator: ":").last.flatMap { Int($0) }
    }
}
