import FerrySession
import TestSupport
import Testing

/// Events that must not happen on a connection after a response that looks complete.
@Suite("Connections that must not be used again", .ownThreads, .timeLimit(.minutes(5)))
struct ReusedConnectionTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"
    private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    /// A server whose first connection sends a response and, after the next request on it, another one.
    private func server(_ first: String) throws -> RawServer {
        try RawServer { connection in
            if connection.readHead().isEmpty { return }
            connection.write(connection.index == 0 ? first : Self.good)
            if connection.readHead().isEmpty { return }
            connection.write(Self.evil)
            connection.readAll()
        }
    }

    private func second(after first: URLRequest, _ server: RawServer, _ session: CurlSession) async throws -> String {
        _ = try await session.data(for: first)
        let (data, _) = try await session.data(for: Wire.request(server.url("/second"), "DELETE"))
        return String(decoding: data, as: UTF8.self)
    }

    /// RFC 9112, section 9.3: the server may still wait for the body.
    @Test("No request follows one whose body was announced and not sent", arguments: [200, 204, 301, 404])
    func owedBody(status: Int) async throws {
        let server = try server("HTTP/1.1 \(status) X\r\n\(status == 204 ? "" : "Content-Length: 0\r\n")\r\n")
        var request = Wire.request(server.url("/first"), "PUT", body: Data("hello".utf8))
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        #expect(try await second(after: request, server, Wire.session()) == "good")
    }

    @Test(
        "No request follows a response without a body after which bytes have come",
        arguments: [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n0123456789"),
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n0123456789"),
            ("GET", "HTTP/1.1 304 Not Modified\r\n\r\n0123456789"),
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n0123456789"),
            // Fields that such a response cannot have.
            ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
            ("GET", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ]
    )
    func excess(_ method: String, _ first: String) async throws {
        let server = try server(first)
        #expect(try await second(after: Wire.request(server.url(), method), server, Wire.session()) == "good")
    }

    /// RFC 9112, section 9.6.
    @Test("No request follows one that asks to close the connection", arguments: ["close", "X-Hop, Close"])
    func close(_ value: String) async throws {
        let server = try server(Self.good)
        var request = Wire.request(server.url(), "GET")
        request.setValue(value, forHTTPHeaderField: "Connection")
        #expect(try await second(after: request, server, Wire.session()) == "good")
    }

    @Test(
        "Other responses without a body leave their connection usable",
        arguments: [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n"), ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\n\r\n"), ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            ("GET", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n"),
        ]
    )
    func usable(_ method: String, _ response: String) async throws {
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty { connection.write(response) }
        }
        let session = Wire.session()
        for _ in 0..<3 { _ = try await session.data(for: Wire.request(server.url(), method)) }
        session.invalidateAndCancel()
        try await eventually { server.received.count == 1 }
        #expect(server.texts[0].components(separatedBy: "HTTP/1.1\r\n").count == 4)
    }

    /// libcurl sends no body of unknown length where the server has answered with HTTP/1.0.
    @Test("A body of unknown length is sent on another connection than one of HTTP/1.0")
    func chunks() async throws {
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard head.hasPrefix("GET ") || head.hasPrefix("PUT ") else { return }
                if head.hasPrefix("PUT ") { connection.readBody("5\r\nhello\r\n0\r\n\r\n".utf8.count) }
                connection.write("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let session = Wire.session()
        _ = try await session.data(from: server.url())
        for _ in 0..<2 {
            var request = Wire.request(server.url(), "PUT")
            request.httpBodyStream = InputStream(data: Data("hello".utf8))
            let (data, _) = try await session.data(for: request)
            #expect(data == Data("ok".utf8))
        }
    }
}
