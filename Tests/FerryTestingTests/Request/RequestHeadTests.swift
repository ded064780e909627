import Foundation
import Testing

@testable import FerryTesting

struct RequestHeadTests {
    private func parse(_ text: String) throws -> RequestHead {
        try Data(text.utf8).withUnsafeBytes { try RequestHead(parsing: $0) }
    }

    @Test("A head is parsed into request line and header fields") func head() throws {
        let head = try parse("PUT /x?y=1 HTTP/1.1\r\nHost: h\r\nX-A:  v \t\r\nX-B:\r\nContent-Length: 12\r\n\r\n")
        #expect(head.method == "PUT")
        #expect(head.target == "/x?y=1")
        #expect(head.version == "HTTP/1.1")
        #expect(head.headers == ["Host": "h", "X-A": "v", "X-B": "", "Content-Length": "12"])
        #expect(head.framing == .length(12))
        #expect(head.keepsConnection)
    }

    @Test("Bytes that are not UTF-8 are decoded as Latin-1") func latin1() throws {
        let bytes = Data("GET / HTTP/1.1\r\nHost: h\r\nX-A: caf".utf8) + Data([0xe9]) + Data("\r\n\r\n".utf8)
        let head = try bytes.withUnsafeBytes { try RequestHead(parsing: $0) }
        #expect(head.headers["X-A"] == "café")
    }

    @Test(
        "The version and the Connection field determine reuse",
        arguments: [
            ("HTTP/1.1", "x: y", true),
            ("HTTP/1.1", "Connection: close", false),
            ("HTTP/1.1", "Connection: TE, Close", false),
            ("HTTP/1.0", "x: y", false),
            ("HTTP/1.0", "Connection: Keep-Alive", true),
        ]
    ) func reuse(version: String, field: String, keeps: Bool) throws {
        #expect(try parse("GET / \(version)\r\nHost: h\r\n\(field)\r\n\r\n").keepsConnection == keeps)
    }

    @Test(
        "Malformed heads are refused",
        arguments: [
            ("GET /\r\nHost: h\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            (" / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: h\n\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1,1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("PRI * HTTP/2.0\r\n\r\n", 505),
            ("GET / HTTQ/1.1\r\nHost: h\r\n\r\n", 400),
        ]
    ) func malformed(text: String, status: Int) {
        #expect { try parse(text) } throws: { ($0 as? ProtocolViolation)?.status == status }
    }

    @Test(
        "Chunk sizes are hexadecimal, before any extension",
        arguments: [("0", 0), ("1f", 31), ("A;name=value", 10), ("10 ;x", 16), ("000000000000010", 16)]
    ) func chunkSize(text: String, size: Int) throws {
        #expect(try RequestBodyReader.chunkSize(Array(text.utf8)) == size)
    }

    @Test("Other chunk sizes are refused", arguments: ["", ";x", "g", "-1", "+1", "0x1", "fffffffffffffffff"])
    func malformedChunkSize(text: String) {
        #expect(throws: ProtocolViolation.self) { try RequestBodyReader.chunkSize(Array(text.utf8)) }
    }
}
