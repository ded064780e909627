import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("The opening handshake")
struct HandshakeTests {
    private let handshake = Handshake(
        key: "dGhlIHNhbXBsZSBub25jZQ==",
        protocols: ["chat", "superchat"],
        offersCompression: true
    )

    @Test("The accept value of RFC 6455, section 1.3")
    func accept() {
        #expect(handshake.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        "SHA-1 of the texts of RFC 3174",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
        ]
    )
    func sha1(text: String, hash: String) {
        #expect(SHA1.hash(text).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == hash)
    }

    @Test(
        "The request has the fields of the handshake, and the URL's scheme for the session",
        arguments: [
            ("ws://host/chat?a=b#c", "http://host/chat?a=b"), ("WSS://host", "https://host"),
            ("http://host/", "http://host/"),
        ]
    )
    func request(url: String, expected: String) throws {
        var original = URLRequest(url: try #require(URL(string: url)))
        original.httpMethod = "POST"
        original.httpBody = Data("ignored".utf8)
        original.setValue("secret", forHTTPHeaderField: "Authorization")
        let request = try handshake.request(original)
        #expect(request.url?.absoluteString == expected)
        #expect(request.httpMethod == "GET")
        #expect(request.httpBody == nil)
        let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        #expect(
            Dictionary(uniqueKeysWithValues: fields) == [
                "authorization": "secret", "connection": "Upgrade", "upgrade": "websocket",
                "sec-websocket-version": "13",
                "sec-websocket-key": handshake.key, "sec-websocket-protocol": "chat, superchat",
                "sec-websocket-extensions": "permessage-deflate; client_max_window_bits",
            ]
        )
    }

    @Test("Other schemes and wrong subprotocols are refused")
    func invalidRequests() throws {
        let url = try #require(URL(string: "ws://host/"))
        let ftp = try #require(URL(string: "ftp://host/"))
        func code(_ protocols: [String], _ url: URL) -> WebSocketError.Code? {
            let handshake = Handshake(protocols: protocols, offersCompression: false)
            do throws(WebSocketError) {
                _ = try handshake.request(URLRequest(url: url))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code([], url) == nil)
        #expect(code([], ftp) == .invalidRequest)
        for protocols in [["a b"], [""], ["a\r\nX: 1"], ["chat", "chat"]] {
            #expect(code(protocols, url) == .invalidRequest)
        }
    }

    private static let valid = [
        "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
        "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    private func response(_ changes: [String: String?]) throws -> HTTPURLResponse {
        let fields = Self.valid.merging(changes.compactMapValues { $0 }) { $1 }
            .filter { changes[$0.key] != .some(.none) }
        let url = try #require(URL(string: "http://host/"))
        return try #require(HTTPURLResponse(url: url, statusCode: 101, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    @Test("A valid response is accepted")
    func valid() throws {
        #expect(try handshake.read(response([:])) == Handshake.Agreement())
        let fields = ["Sec-WebSocket-Protocol": "chat", "Sec-WebSocket-Extensions": "permessage-deflate"]
        let expected = Handshake.Agreement(subprotocol: "chat", compression: CompressionParameters())
        #expect(try handshake.read(response(fields)) == expected)
    }

    @Test("Hostile values are read in linear time")
    func linear() throws {
        for name in ["Upgrade", "Connection"] + ["Accept", "Protocol", "Extensions"].map({ "Sec-WebSocket-\($0)" }) {
            let slow = try ["\u{301}\u{316}", " \u{301}\u{316}", ","].compactMap { part in
                let (isLinear, times) = try LinearCase("\(name) of \(part.debugDescription)") { size in
                    let value = "x" + String(filling: size, with: part)
                    _ = try? handshake.read(response([name: value]))
                }.isLinear(size: 10_000)
                return isLinear ? nil : times
            }
            #expect(slow.isEmpty)
        }
    }

    @Test(
        "Other responses are refused",
        arguments: [
            ["Upgrade": nil], ["Upgrade": "h2c"], ["Connection": nil], ["Connection": "close"],
            ["Sec-WebSocket-Accept": nil],
            ["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="], ["Sec-WebSocket-Protocol": "other"],
            ["Sec-WebSocket-Protocol": "Chat"], ["Sec-WebSocket-Extensions": "x-unknown"],
        ] as [[String: String?]]
    )
    func invalid(changes: [String: String?]) throws {
        let response = try response(changes)
        #expect { try handshake.read(response) } throws: { ($0 as? WebSocketError)?.code == .invalidHandshake }
    }
}
