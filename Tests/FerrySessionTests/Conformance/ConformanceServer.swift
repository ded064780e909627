import FerrySession
import FerryTesting
import Testing

/// The server of the HTTP client conformance suite (https://github.com/apple/swift-http-api-proposal), by its paths.
enum ConformanceServer {
    /// The number of bytes of `/1mb_body`.
    static let largeCount = 1_000_000

    /// Starts a server; those that send while they receive are ``echo()`` and ``speak(_:)``.
    static func start() throws -> LoopbackServer {
        let tags = Watched(0)
        return try LoopbackServer { request in
            switch request.path {
            case "/request": .json(encoding: SentRequest(request))
            case "/200": .status(200)
            case "/301", "/308": .redirect(to: "/request", statusCode: request.path == "/301" ? 301 : 308)
            case "/404", "/999": .status(request.path == "/404" ? 404 : 999)
            case "/1mb_body": .data(letters(largeCount))
            case "/brotli": coded("br", brotli, for: request)
            case "/cookie": .status(200, headers: ["Set-Cookie": "foo=\(UUID().uuidString)"])
            case "/deflate": coded("deflate", deflate, for: request)
            case "/etag": tagged(tags, request)
            case "/gzip": coded("gzip", gzip, for: request)
            case "/head_with_cl":
                request.method == "HEAD" ? .status(200, headers: ["Content-Length": "1000"]) : .status(405)
            case "/header_multivalue": .status(200, headers: ["X-Test": "one", "X-Test": "two"])
            case "/identity": .data(plain)
            case "/redirect_ping": .redirect(to: "/redirect_pong", statusCode: 301)
            case "/redirect_pong": .redirect(to: "/redirect_ping", statusCode: 301)
            case "/stall": LoopbackResponse().faulted(.stallBeforeHead)
            case "/stall_body":
                LoopbackResponse(body: .chunked([letters(1000)])).faulted(.stall(afterBodyBytes: 1000))
            case "/trailers": LoopbackResponse(body: .chunked([Data("Response body".utf8)], trailers: trailers))
            default: .text("Unknown path", statusCode: 500)
            }
        }
    }

    /// Returns bytes that are all the letter A.
    static func letters(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "A"), count: count) }

    // MARK: - Servers that send while they receive

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Starts a server that sends each part of a body back as soon as it arrives, after its own head.
    ///
    /// The body must be sent in chunks, since their framing is sent back as well, and contain no line ends.
    static func echo() throws -> RawServer {
        try RawServer { connection in
            let start = connection.readHead().utf8.count
            connection.write(head)
            var count = start
            repeat {
                connection.write(connection.received.dropFirst(count))
                count = connection.received.count
            } while !connection.received.dropFirst(start).suffix(5).elementsEqual("0\r\n\r\n".utf8)
                && connection.readMore()
        }
    }

    /// Starts a server that sends one letter at a time, and waits for each to come back.
    static func speak(_ count: Int) throws -> RawServer {
        let chunk = "1\r\nA\r\n"
        return try RawServer { connection in
            connection.readHead()
            connection.write(head)
            for _ in 0..<count {
                connection.write(chunk)
                connection.readBody(chunk.utf8.count)
            }
            connection.write("0\r\n\r\n")
            // Before libcurl 8.5, a connection that ends before the request truncates the response.
            connection.readBody("0\r\n\r\n".utf8.count)
        }
    }

    // MARK: - Responses

    /// A line of text, and its form in each coding.
    static let plain = Data("TEST\n".utf8)
    private static let gzip = Data([
        0x1f, 0x8b, 0x08, 0x00, 0xfd, 0xd6, 0x77, 0x69, 0x04, 0x03, 0x0b, 0x71, 0x0d, 0x0e, 0xe1, 0x02, 0x00, 0xbe,
        0xd7, 0x83, 0xf7, 0x05, 0x00, 0x00, 0x00,
    ])
    private static let deflate = Data([
        0x78, 0x9c, 0x0b, 0x71, 0x0d, 0x0e, 0xe1, 0x02, 0x00, 0x04, 0x68, 0x01, 0x4b,
    ])
    private static let brotli = Data([0x0f, 0x02, 0x80, 0x54, 0x45, 0x53, 0x54, 0x0a, 0x03])

    private static let trailers: LoopbackHeaders = [
        "X-Trailer-One": "first-value", "X-Trailer-Two": "second-value", "X-Checksum": "abc123",
    ]

    /// Returns the line in a coding, or without one for a client that does not accept the coding.
    private static func coded(_ coding: String, _ data: Data, for request: LoopbackRequest) -> LoopbackResponse {
        guard request.header("Accept-Encoding")?.contains(coding) == true else { return .data(plain) }
        return .data(data).adding("Content-Encoding", coding)
    }

    /// Returns the current tag, or a 304 to a request with this tag, after which the tag changes.
    private static func tagged(_ tags: Watched<Int>, _ request: LoopbackRequest) -> LoopbackResponse {
        tags.change { tag in
            let isMatch = request.header("If-None-Match") == "\(tag)"
            let response = isMatch ? LoopbackResponse.status(304) : .data(Data("\(tag)".utf8))
            defer { if isMatch { tag += 1 } }
            return response.adding("ETag", "\(tag)").adding("Cached", "\(isMatch)")
        }
    }
}

/// The description of a request that the server's path `/request` returns.
struct SentRequest: Codable {
    let params: [String: [String]]
    let headers: [String: [String]]
    let body: String
    let method: String
    let trailers: [String: [String]]

    init(_ request: LoopbackRequest) {
        params = Dictionary(grouping: request.queryItems, by: \.name).mapValues { $0.map { $0.value ?? "" } }
        headers = Dictionary(grouping: request.headers, by: \.name).mapValues { $0.map(\.value) }
        body = request.bodyText ?? ""
        method = request.method
        trailers = Dictionary(grouping: request.trailers, by: \.name).mapValues { $0.map(\.value) }
    }

    /// Creates the description that a response contains.
    init(_ result: (data: Data, response: URLResponse)) throws {
        self = try JSONDecoder().decode(Self.self, from: result.data)
        #expect(result.response.status == 200)
    }
}

extension URLResponse {
    /// The status code.
    var status: Int? { (self as? HTTPURLResponse)?.statusCode }

    /// Returns the value of a header field.
    func field(_ name: String) -> String? { (self as? HTTPURLResponse)?.value(forHTTPHeaderField: name) }
}
