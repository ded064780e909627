import Testing

@testable import FerryCache

@Suite("Rules of the cache take linear time", .slow, .ownThreads, .timeLimit(.minutes(10)))
struct LinearTimeTests {
    private static func head(_ count: Int, _ field: (Int) -> (String, String)) -> ResponseHead {
        let fields = (0..<count).map { field($0) }.map { ResponseHead.Field(name: $0.0, value: $0.1) }
        return ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
    }

    /// Readers of one value, each called with every hostile text, alone and within larger values.
    private static let readers: [(String, @Sendable (String) -> Void)] = [
        (
            "Cache-Control",
            { text in
                _ = CacheControl([text, "max-age=\(text)", "private=\"\(text)"])
            }
        ),
        (
            "Cache fields",
            { text in
                let names = ["Vary", "Age", "Expires", "ETag", "Date", "Last-Modified", "Cache-Control", "Connection"]
                let fields = names.map { ResponseHead.Field(name: $0, value: text) }
                _ = CacheFields(fields).hasValidator
                _ = CacheStorageRule.storedFields(fields)
                _ = CacheValidation.merge(fields, with: fields)
                _ = CacheValidation.selects(CacheFields(fields), by: CacheFields(fields))
                let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
                _ = CacheValidation.matchesHead(head, head, length: nil)
            }
        ),
    ]

    @Test("Each reader of a field handles any text in linear time", arguments: readers.indices)
    func values(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        #expect(try HostileText.slowTexts(name, and: HostileText.urlParts, read).isEmpty)
    }

    private static let heads: [LinearCase] = [
        LinearCase("Many Vary fields") { size in _ = CacheFields(head(size / 10) { ("Vary", "X-\($0)") }.fields).vary },
        LinearCase("Vary with names of combining marks") { size in
            let text = String(filling: size, with: "\u{301}\u{316}")
            _ = CacheFields([.init(name: "Vary", value: text)]).vary
        },
        LinearCase("Many fields that Connection names") { size in
            let names = (0..<size / 10).map { "x-\($0)" }
            let fields =
                [.init(name: "Connection", value: names.joined(separator: ","))]
                + names.map { ResponseHead.Field(name: $0, value: "") }
            _ = CacheStorageRule.storedFields(fields)
        },
    ]

    @Test("Heads with many fields", arguments: heads.indices)
    func others(_ index: Int) throws {
        let (isLinear, times) = try Self.heads[index].isLinear()
        #expect(isLinear, "\(times)")
    }
}
