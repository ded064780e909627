import FerrySession
import TestSupport
import Testing

/// Servers that respond to the request for the rest of a download with something else (RFC 9110, sections 13.1.5 and
/// 14.4).
@Suite("Hostile ranges", .ownThreads, .timeLimit(.minutes(5)))
struct HostileRangeTests {
    private static let whole = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private static let cut = 40_000

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Truncates the first response, sends `part` for the rest, and the complete body for other requests.
    private func server(_ part: @escaping @Sendable (RawServer.Connection) -> Void) throws -> RawServer {
        try RawServer { connection in
            let head = connection.readHead()
            let whole = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: \(Self.whole.count)\r\n\r\n"
            if head.contains("\r\nRange: ") { return part(connection) }
            connection.write(whole)
            let isFirst = connection.index == 0
            connection.write(isFirst ? Self.whole.prefix(Self.cut) : Self.whole)
        }
    }

    private func session() -> CurlSession {
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        return Wire.session(options: options)
    }

    private func resumeData(_ server: RawServer, _ session: CurlSession) async throws -> Data {
        let error = await Wire.error { try await session.download(for: URLRequest(url: server.url())) }
        return try #require(error?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
    }

    private static func head(_ fields: String...) -> String {
        "HTTP/1.1 206 Partial Content\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static let range = "Content-Range: bytes 40000-99999/100000"

    @Test(
        "A part that may belong to another entity is not appended: everything is requested again",
        arguments: [
            head("ETag: \"b\"", range, "Content-Length: 60000"), head("ETag: W/\"a\"", range, "Content-Length: 60000"),
            head(range, "Content-Encoding: gzip", "Content-Length: 60000"), head(range, "Content-Length: 59999"),
            head("Content-Range: bytes 40001-99999/100000", "Content-Length: 59999"),
            head("Content-Range: bytes 40000-99998/100000", "Content-Length: 59999"),
            head("Content-Range: bytes 40000-99999/100001", "Content-Length: 60000"),
            head("Content-Range: bytes 40000-9223372036854775806/*", "Content-Length: 9223372036854735807"),
            head("Content-Range: bytes 40000-9223372036854775807/*", "Content-Length: 9223372036854735808"),
            head("Content-Range: bytes 99999-40000/100000", "Content-Length: 60000"), head("Content-Length: 60000"),
            head("Content-Type: multipart/byteranges; boundary=x", "Content-Length: 60000"),
        ]
    )
    func another(_ head: String) async throws {
        let server = try server { connection in
            connection.write(head)
            connection.write(Data(repeating: UInt8(ascii: "x"), count: 60_000))
        }
        let session = session()
        let data = try await resumeData(server, session)
        let (file, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: file) == Self.whole)
        try await Bystander.expectService(of: session)
    }

    @Test("The rest of the same entity is accepted", arguments: [true, false]) func same(_ hasTag: Bool) async throws {
        let server = try server { connection in
            let tag = hasTag ? ["ETag: \"a\""] : []
            connection.write(
                "HTTP/1.1 206 P\r\n\((tag + [Self.range]).joined(separator: "\r\n"))\r\nContent-Length: 60000\r\n\r\n"
            )
            connection.write(Self.whole.suffix(60_000))
        }
        let session = session()
        let data = try await resumeData(server, session)
        let (file, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: file) == Self.whole)
        #expect(server.received.count <= 3)
    }

    @Test(
        "A head that ends early is no response: the rest is requested again",
        arguments: ["HTTP/1.1 206 Partial Content\r\nContent-Ra", "HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\n"]
    )
    func cutHead(_ head: String) async throws {
        let server = try server { connection in
            if connection.index == 1 { connection.write(head) }
            if connection.index < 2 { return }
            connection.write("HTTP/1.1 206 P\r\nETag: \"a\"\r\n\(Self.range)\r\nContent-Length: 60000\r\n\r\n")
            connection.write(Self.whole.suffix(60_000))
        }
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0.01)
        let (data, _) = try await Wire.session(options: options).data(from: server.url())
        #expect(data == Self.whole)
        try await eventually { server.received.count == 3 }
    }

    @Test("A chunked part that is shorter or longer than its range is an error", arguments: [59_999, 60_001, 0])
    func chunkedLength(_ size: Int) async throws {
        let server = try server { connection in
            connection.write(Self.head("ETag: \"a\"", Self.range, "Transfer-Encoding: chunked"))
            if size > 0 {
                connection.write(String(size, radix: 16) + "\r\n")
                connection.write(Data(repeating: 1, count: size))
                connection.write("\r\n")
            }
            connection.write("0\r\n\r\n")
        }
        let session = session()
        let data = try await resumeData(server, session)
        let error = await Wire.error { try await session.download(resumeFrom: data) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.ferryCode == .cannotContinue)
    }

    /// RFC 9110, section 15.5.17.
    @Test(
        "A 416 with an impossible length does not complete the download",
        arguments: ["bytes */9223372036854775807", "bytes */99999999999999999999", "bytes */-1", "bytes */x", "x"]
    )
    func unsatisfied(_ value: String) async throws {
        let server = try server { connection in
            connection.write("HTTP/1.1 416 No\r\nContent-Range: \(value)\r\nContent-Length: 0\r\n\r\n")
        }
        let session = session()
        let data = try await resumeData(server, session)
        let (file, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: file) == Self.whole)
    }
}
