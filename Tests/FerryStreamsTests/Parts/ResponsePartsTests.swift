import FerryTesting
import TestSupport
import Testing

@testable import FerryStreams

/// The bodies are in the grammar of RFC 2046, section 5.1.1, with the boundary `b`.
@Suite("Parts of a multipart body")
struct ResponsePartsTests {
    private func parts(
        _ text: String,
        boundary: String = "b",
        size: Int = .max,
        limit: Int = 1_000
    ) async throws -> ([ResponsePart], URLError.Code?) {
        try await outcome(ResponseParts(Pieces(text, size: size), boundary: boundary, maximumLength: limit))
    }

    private static let bodies: [(String, [String])] = [
        ("--b--", []), ("preamble\r\n--b--\r\nepilogue --b", []), ("--b\r\n\r\n1\r\n--b--\r\n", ["1"]),
        ("\r\n--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b--", ["1", "2"]),
        ("--b \t\r\n\r\n1\r\n--b  \r\n\r\n2\r\n--b--", ["1", "2"]),
        ("--b\r\n\r\n\r\n--b\r\n\r\n--b--", ["", ""]), ("--b\r\n\r\n\r\n\r\n--b--", ["\r\n"]),
        ("--b\r\n\r\n--bc\r\n--b-x\r\n --b\r\n--b--", ["--bc\r\n--b-x\r\n --b"]), ("--b\r\n\r\na\r\r\n--b--", ["a\r"]),
        ("--b\r\n\r\na\n--b\n\r\n--b--", ["a\n--b\n"]), ("--b\r\n\r\na\r\n--bc\n\r\n--b--", ["a\r\n--bc\n"]),
        ("--b\r\n\r\n1\r\n--b--\r\n--b\r\n\r\n2\r\n--b--", ["1"]),
        // The blanks after a delimiter arrive in pieces, after more bytes than the limit on blanks.
        (
            "--b\r\n\r\n" + String(repeating: "x", count: 300) + "\r\n--b  \r\n\r\n2\r\n--b--",
            [String(repeating: "x", count: 300), "2"]
        ),
        ("x--b\r\n\r\n--b\r\n\r\n1\r\n--b--", ["1"]), ("--b\r\n\r\n1\r\n\r\n--b\r\n\r\n2\r\n--b--", ["1\r\n", "2"]),
    ]

    @Test("Parts are separated by whole delimiters at the start of a line, in pieces of any size", arguments: bodies)
    func delimiters(text: String, expected: [String]) async throws {
        for size in [1, 2, 3, 5, .max] {
            let (parts, code) = try await parts(text, size: size)
            #expect(parts.map { String(decoding: $0.body, as: UTF8.self) } == expected)
            #expect(code == nil)
        }
    }

    private static let lenient: [(String, String, [String])] = [
        ("b", "--b\nX: 1\n\n1\n--b\n\n2\n\n--b \n\n\n--b\n\n--b--\n", ["1", "2\n", "", ""]),
        ("b", "preamble\n--b\r\n\r\n1\r\n--b\r\n\r\n2\n--b\n\r\n--b--\r\n", ["1", "2\n--b\n"]),
        ("b", "preamble\n--b\n\n1\r\n--b\r\n\r\n2\r\n--b--\r\n", ["1", "2"]),
        ("--b", "--b\r\n\r\n1\r\n--b\r\n\r\n----b\r\n--b--\r\n", ["1", "----b"]),
        ("--b", "x\n--b\n\n1\n--b\n\n2\n--b--\n", ["1", "2"]),
        ("--b", "----b\r\n\r\n1\r\n--b\r\n----b\r\n\r\n2\r\n----b--\r\n", ["1\r\n--b", "2"]),
    ]

    @Test("Cameras that end lines in a line feed, or repeat the boundary as it is, are understood", arguments: lenient)
    func cameras(boundary: String, text: String, expected: [String]) async throws {
        for size in [1, 2, 3, 5, .max] {
            let (parts, code) = try await parts(text, boundary: boundary, size: size)
            #expect(parts.map { String(decoding: $0.body, as: UTF8.self) } == expected)
            #expect(code == nil)
        }
    }

    @Test("A part has its header fields, also folded ones")
    func headers() async throws {
        let text = "--b\r\nContent-Type: text/plain\r\nX: 1,\r\n  2\r\nX:3 \r\n\r\nbody\r\n--b\r\nY:\r\n\r\n--b--"
        for size in [1, .max] {
            let (parts, _) = try await parts(text, size: size)
            #expect(parts.first?.headers["content-type"] == "text/plain")
            #expect(parts.first?.headers.values(for: "x") == ["1, 2", "3"])
            #expect(parts.last?.headers["Y"] == "")
            #expect(parts.map(\.body) == [Data("body".utf8), Data()])
        }
    }

    private static let damaged: [(String, Int, URLError.Code)] = [
        ("", 0, .networkConnectionLost), ("no delimiter", 0, .networkConnectionLost),
        ("--b\r\n\r\n1", 0, .networkConnectionLost), ("--b\r\n\r\n1\r\n--b", 0, .networkConnectionLost),
        ("--b\r\n\r\n1\r\n--b\r\n\r\n2", 1, .networkConnectionLost), ("--b\r\nX: 1", 0, .networkConnectionLost),
        ("--b\r\nno field\r\n\r\n", 0, .cannotParseResponse), ("--b\r\n: 1\r\n\r\n", 0, .cannotParseResponse),
        ("--b\r\n x\r\n\r\n", 0, .cannotParseResponse), ("--b\r\n--b--\r\n", 0, .cannotParseResponse),
        ("--b\r\n\r\n" + String(repeating: "x", count: 1_001), 0, .dataLengthExceedsMaximum),
        ("--b\r\n\r\n" + String(repeating: "\r", count: 2_000), 0, .dataLengthExceedsMaximum),
        ("--b\r\nX: " + String(repeating: "x", count: 70_000), 0, .dataLengthExceedsMaximum),
        ("--b\r\n" + String(repeating: "X: 1\r\n", count: 20_000), 0, .dataLengthExceedsMaximum),
    ]

    @Test("What is cut off, malformed or too long is an error after the parts before it", arguments: damaged)
    func errors(text: String, count: Int, code: URLError.Code) async throws {
        for size in [7, .max] {
            let (parts, found) = try await parts(text, size: size)
            #expect(parts.count == count)
            #expect(found == code)
        }
        let whole = "--b\r\n\r\n" + String(repeating: "x", count: 1_000) + "\r\n--b--"
        #expect(try await parts(whole).0.count == 1)
    }

    @Test(
        "Texts that resemble delimiters take linear time",
        .pure,
        arguments: ["\r\n--bounda", "\r\n--boundary x", " ", "\r", "\n", "x\n", "\n--boundary x"]
    )
    func linear(part: String) throws {
        for head in ["", "--boundary\r\n\r\n", "--boundary\r\n\r\n\r\n--boundary"] {
            let (isLinear, times) = try LinearCase(part.debugDescription) { size in
                let text = Data((head + String(filling: size, with: part)).utf8)
                for pieces in [1, size] {
                    var splitter = PartSplitter(boundary: "boundary", limit: .max)
                    for start in stride(from: 0, to: text.count, by: pieces) {
                        splitter.append(text[start..<min(text.count, start + pieces)])
                        while (try? splitter.next()) != nil {}
                    }
                }
            }.isLinear(size: 20_000)
            #expect(isLinear, "\(times)")
        }
    }

    @Test("Damaged bodies have in any pieces the same parts and the same error", .pure)
    func mutations() async throws {
        var random = SeededGenerator(2046)
        let sample = "x\r\n--b\r\nA: 1\r\n\r\none\r\n--b \r\n\r\n\r\n--b\r\nB: 2\r\n\r\n--b--\r\n"
        let samples = [sample, sample.replacingOccurrences(of: "\r", with: "")].map { Array($0.utf8) }
        for number in 0..<(Mutations.count / 10) {
            var bytes = samples[number % 2]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { break }
                bytes[index] = Array("\r\n-b :\u{0}".utf8).randomElement(using: &random) ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let whole = try await parts(text, limit: 8)
            for size in [1, 3] {
                let other = try await parts(text, size: size, limit: 8)
                #expect(other == whole, "\(text.debugDescription)")
            }
        }
    }

    @Test("A boundary is read from the content type")
    func boundaries() throws {
        let url = try #require(URL(string: "http://a/"))
        let rows: [(String?, String?)] = [
            (nil, nil), ("text/plain; boundary=b", nil), ("multipart/mixed", nil), ("multipart/mixed; boundary=", nil),
            ("multipart/mixed; boundary=b", "b"), ("Multipart/Byteranges;charset=x; Boundary=\"a b;=\"", "a b;="),
            ("multipart/mixed; boundary=b, multipart/mixed; boundary=c", "c"), ("multipart/mixed; boundary=a,b", "a,b"),
            ("multipart/mixed; boundary=" + String(repeating: "b", count: 70), String(repeating: "b", count: 70)),
            ("multipart/mixed; boundary=" + String(repeating: "b", count: 71), nil),
        ]
        for (field, boundary) in rows {
            let fields = field.map { ["Content-Type": $0] }
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            #expect(response?.multipartBoundary == boundary)
        }
    }

    @Test("Pictures that replace each other are delivered as they come, and other responses are an error")
    func live() async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            let type = connection.index == 0 ? "multipart/x-mixed-replace; boundary=frame" : "image/jpeg"
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n")
            guard connection.index == 0 else { return }
            connection.write("--frame\r\nContent-Type: image/jpeg\r\n\r\none\r\n--frame\r\n")
            mayGoOn.block { $0 }
            connection.write("\r\ntwo\r\n--frame--\r\n")
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let session = CurlSession(configuration: .ephemeral)
        let (bytes, response) = try await session.bytes(from: url)
        var bodies: [String] = []
        for try await part in try bytes.parts(of: response) {
            bodies.append(String(decoding: part.body, as: UTF8.self))
            mayGoOn.change { $0 = true }
        }
        #expect(bodies == ["one", "two"])
        let (picture, other) = try await session.bytes(from: url)
        let error = #expect(throws: URLError.self) { try picture.parts(of: other) }
        #expect(error?.code == .cannotParseResponse)
    }
}
