import FerryTesting
import TestSupport
import Testing

@testable import FerryStreams

@Suite("JSON values as they arrive")
struct JSONLinesTests {
    private struct Entry: Codable, Equatable {
        var id: Int
    }

    private func values(_ text: String, pieces: Int = .max, limit: Int = 1000) async throws -> [JSONValue] {
        var values: [JSONValue] = []
        let pieces = Pieces(text, size: pieces)
        for try await value in pieces.jsonLines(as: JSONValue.self, maximumLength: limit) { values.append(value) }
        return values
    }

    @Test(
        "Lines and sequences give their values, in pieces of any size",
        arguments: [
            ("", []), ("\n\n", []), ("1\n2\n", [1, 2]), ("1\r\n\r\n2", [1, 2]),
            ("[1,\"x\"]\nnull\n", [[1, "x"], .null]),
            ("\u{1E}1\n\u{1E}2\n", [1, 2]), ("\u{1E}[1,\n2]\n\u{1E}\"x\"", [[1, 2], "x"]), ("\u{1E}\u{1E}1\n", [1]),
        ] as [(String, [JSONValue])]
    )
    func rows(text: String, expected: [JSONValue]) async throws {
        for size in [1, 2, 3, .max] { #expect(try await values(text, pieces: size) == expected) }
    }

    @Test("A line that is no value is an error")
    func malformed() async throws {
        await #expect(throws: DecodingError.self) { try await values("  {\"a\":\n") }
    }

    @Test(
        "A number at the end of a sequence that was cut off is an error",
        arguments: ["\u{1E}1\n\u{1E}12", "\u{1E}tru"]
    )
    func sequences(text: String) async throws {
        for size in [1, 3, .max] {
            let error = await #expect(throws: URLError.self) { try await values(text, pieces: size) }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    @Test(
        "What may be the beginning of a number or a word is dropped if another text follows (RFC 7464, section 2.4)",
        arguments: ["\u{1E}1\n\u{1E}12\u{1E}3\n", "\u{1E}1\n\u{1E}tru\u{1E}3\n", "\u{1E}1\n\u{1E}-\u{1E}3\n"]
    )
    func dropped(text: String) async throws {
        for size in [1, 3, .max] { #expect(try await values(text, pieces: size) == [1, 3]) }
    }

    @Test(
        "An iterator goes on after a text of a sequence that was cut off",
        arguments: ["{\"a\":", "\"b", "trunc", "[1"]
    )
    func cutOff(text: String) async throws {
        let pieces = AsyncStream { continuation in
            continuation.yield(Data("\u{1E}1\n\u{1E}\(text)\u{1E}3\n".utf8))
            continuation.finish()
        }
        var iterator = pieces.jsonLines(as: JSONValue.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: DecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == 3)
        #expect(try await iterator.next() == nil)
    }

    @Test("A text that is too long ends the stream before it takes memory")
    func limit() async throws {
        let long = "\"" + String(repeating: "x", count: 2000) + "\"\n"
        for size in [10, .max] {
            let error = await #expect(throws: URLError.self) { try await values("1\n" + long, pieces: size) }
            #expect(error?.code == .dataLengthExceedsMaximum)
        }
    }

    @Test(
        "Blanks before the first text and many small texts take linear time",
        .pure,
        arguments: [" ", "1\n", "\u{1E}1\n"]
    )
    func linear(part: String) async throws {
        let (isLinear, times) = try LinearCase(part.debugDescription) { size in
            var splitter = RecordSplitter(limit: .max)
            let text = Data(String(filling: size, with: part).utf8)
            for pieces in [1, size] {
                for start in stride(from: 0, to: text.count, by: pieces) {
                    splitter.append(text[start..<min(text.count, start + pieces)])
                    while try splitter.next() != nil {}
                }
            }
        }.isLinear(size: 20_000)
        #expect(isLinear, "\(times)")
    }

    @Test("A text that is no value loses no other")
    func damaged() async throws {
        let text = "{\"id\":1}\n{\"id\":\n{\"id\":2}\n"
        var iterator = Pieces(text, size: 5).jsonLines(as: Entry.self).makeAsyncIterator()
        #expect(try await iterator.next() == Entry(id: 1))
        await #expect(throws: DecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == Entry(id: 2))
        #expect(try await iterator.next() == nil)
    }

    @Test("Values are delivered before the body ends, of sessions and managers")
    func live() async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"id\":1}\n{\"id\"")
            mayGoOn.block { $0 }
            connection.write(":2}\n")
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let (bytes, _) = try await CurlSession(configuration: .ephemeral).bytes(from: url)
        var entries: [Entry] = []
        for try await entry in bytes.jsonLines(as: Entry.self) {
            entries.append(entry)
            mayGoOn.change { $0 = true }
        }
        #expect(entries == [Entry(id: 1), Entry(id: 2)])
        var count = 0
        for try await _ in HTTPSessionManager(baseURL: url).stream(.get("")).jsonLines(as: Entry.self) { count += 1 }
        #expect(count == 2)
    }

    @Test("Values that have arrived are left out once the Swift task is cancelled")
    func cancellation() async throws {
        let pieces = AsyncStream { continuation in
            continuation.yield(Data(String(repeating: "1\n", count: 10_000).utf8))
            continuation.finish()
        }
        let count = Watched(0)
        let task = Task {
            for try await _ in pieces.jsonLines(as: Int.self) {
                count.change { $0 += 1 }
                if count.current == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled && count.current == 10)
    }

    @Test("The values of a sequence are delivered at their line feeds, before the next one comes")
    func liveSequence() async throws {
        let mayGoOn = Watched(0)
        let texts = ["{\"id\":1,\"t\":\"a\\\"\\n]\"}\n", "{\n\"id\":\n2}\n\n", "{\"id\":3}\n"]
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            for (index, text) in texts.enumerated() {
                mayGoOn.block { $0 >= index }
                connection.write("\u{1E}" + text)
            }
            mayGoOn.block { $0 >= texts.count }
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let (bytes, _) = try await CurlSession(configuration: .ephemeral).bytes(from: url)
        var entries: [Entry] = []
        for try await entry in bytes.jsonLines(as: Entry.self) {
            entries.append(entry)
            mayGoOn.change { $0 += 1 }
        }
        #expect(entries == (1...3).map { Entry(id: $0) })
    }
}
