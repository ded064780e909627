import Testing

@testable import FerrySession

@Suite("Parsers of the session take linear time", .slow, .ownThreads, .timeLimit(.minutes(10)))
struct LinearTimeTests {
    /// Readers of one value, each called with every hostile text, alone and within larger values.
    private static let readers: [(String, @Sendable (String) -> Void)] = [
        ("Content-Encoding", { _ = ContentCoding.parse($0) }),
        (
            "Server-sent event",
            { text in
                var parser = ServerSentEventParser(limit: 1_000_000)
                for line in [
                    text, text + ": 1", "data: " + text, "event: " + text, "id: " + text, "retry: " + text, "",
                ] {
                    _ = try? parser.consume(line)
                }
            }
        ),
        ("Proxy exception", { _ = ProxyException("*aaaaaaab*").matches(host: $0, port: 80) }),
        (
            "PEM",
            { text in
                let marks = "-----BEGIN \(text)-----\n\(text)\n-----END \(text)-----\n"
                _ = try? PEM.blocks(in: Data((marks + text).utf8), what: "The text")
            }
        ),
    ]

    @Test("Each reader of a field handles any text in linear time", arguments: readers.indices)
    func values(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        #expect(try HostileText.slowTexts(name, and: HostileText.urlParts, read).isEmpty)
    }

    private static let heads: [LinearCase] = [
        LinearCase("A data: URL in Base64") { size in
            for text in [
                String(filling: size, with: "QUFB"), String(filling: size, with: "="),
                "QQ" + String(filling: size, with: "-_"),
            ] {
                _ = URL(string: "data:;base64," + text).flatMap { DataURL($0) }
            }
        },
        LinearCase("A data: URL with escapes") { size in
            _ = URL(string: "data:" + String(filling: size, with: "%41") + "," + String(filling: size, with: "%CC%81"))
                .flatMap { DataURL($0) }
        },
        LinearCase("PEM blocks") { size in
            let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            _ = try PEM.blocks(in: Data(String(filling: size, with: block).utf8), what: "The text")
        },
        LinearCase("A certificate that nests") { size in
            // Each level is a sequence; the innermost lengths do not fit, which makes no difference to the reader.
            _ = X509Certificate(der: Data([0x30, 0x83, 0x01, 0x00, 0x00] + Array(repeating: 0x30, count: 65_536)))
            _ = X509Certificate(der: Data(Array(repeating: 0x30, count: size)))
        },
    ]

    @Test("Other kinds of text", arguments: heads.indices)
    func others(_ index: Int) throws {
        let (isLinear, times) = try Self.heads[index].isLinear()
        #expect(isLinear, "\(times)")
    }
}
