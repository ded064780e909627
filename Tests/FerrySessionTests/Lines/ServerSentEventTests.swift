import FerryTesting
import Testing

@testable import FerrySession

/// The examples are those of the HTML standard, section 9.2.6.
@Suite("Server-sent events")
struct ServerSentEventTests {
    private func parse(_ text: String, limit: Int = 1_000, lastEventID: String = "") throws -> [ServerSentEvent] {
        var splitter = LineSplitter(limit: 1_000)
        var parser = ServerSentEventParser(limit: limit, lastEventID: lastEventID)
        var events: [ServerSentEvent] = []
        splitter.append(Data(text.utf8))
        while let line = try splitter.next() {
            if let event = try parser.consume(line) { events.append(event) }
        }
        return events
    }

    private static let rows: [(String, [ServerSentEvent])] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [.init(data: "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            [.init(data: "first event", id: "1"), .init(data: "second event", id: "")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
        ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
        (
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: 1\n\n",
            [.init(type: "add", data: "73857293"), .init(type: "remove", data: "2153"), .init(data: "1")]
        ),
        ("event: lost\n\ndata: 1\n\n", [.init(data: "1")]),
        ("id: 7\n\ndata: 1\n\n", [.init(data: "1", id: "7")]),
        ("id: 7\ndata: 1\n\ndata: 2\n\n", [.init(data: "1", id: "7"), .init(data: "2", id: "7")]),
        ("id: 7\nid: 8\u{0}\ndata: 1\n\n", [.init(data: "1", id: "7")]),
        ("retry: 1500\ndata: 1\n\n", [.init(data: "1", reconnectionTime: 1.5)]),
        ("retry: 1s\nretry:\nretry: -1\nretry: 99999999999\ndata: 1\n\n", [.init(data: "1")]),
        ("\u{FEFF}data: 1\n\n", [.init(data: "1")]),
        ("data: 1\n\n\u{FEFF}data: 2\n\n", [.init(data: "1")]),
        ("events: 1\n" + String(repeating: "\u{301}", count: 400) + ": 2\ndata: 1\n\n", [.init(data: "1")]),
        ("Data: 1\n data: 2\ndata : 3\nother: 4\n\n", []),
        ("data: a:b: c\r\n\r\n", [.init(data: "a:b: c")]),
        ("data: é😀\rdata:\u{301}\r\r", [.init(data: "é😀\n\u{301}")]),
    ]

    @Test("Events are read as the standard says", arguments: rows)
    func rules(_ text: String, _ events: [ServerSentEvent]) throws {
        #expect(try parse(text) == events)
    }

    @Test("A continued stream has the identifier of the last event until the server sends another")
    func continued() throws {
        let text = "data: 1\n\nid: 8\u{0}\ndata: 2\n\nid: 8\ndata: 3\n\nid\ndata: 4\n\n"
        #expect(try parse(text, lastEventID: "7").map(\.id) == ["7", "7", "8", ""])
    }

    @Test("An event beyond the limit is an error, also with empty lines of data")
    func limit() throws {
        #expect(try parse("data: 12\ndata: 34\n\n", limit: 5) == [.init(data: "12\n34")])
        for text in ["data: 123456\n", "data: 12\ndata: 345\n", String(repeating: "data\n", count: 7)] {
            let error = try #require(throws: URLError.self) { try parse(text, limit: 5) }
            #expect(error.code == .dataLengthExceedsMaximum)
        }
    }

    @Test("A type of more than 1,024 bytes, which a program could not compare quickly, is an error")
    func longType() throws {
        var parser = ServerSentEventParser(limit: 10_000)
        _ = try parser.consume("event: " + String(repeating: "a", count: 1_024))
        let hostile = "event: " + String(repeating: "\u{301}\u{316}", count: 257)
        let error = try #require(throws: URLError.self) { try parser.consume(hostile) }
        #expect(error.code == .dataLengthExceedsMaximum)
    }

    @Test("A line that the end of the body cuts off is not read") func cutOff() async throws {
        let server = try LoopbackServer { _ in .text("data: 1\n\nretry: 3") }
        let (bytes, _) = try await makeSession().bytes(from: server.url)
        var iterator = bytes.events.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        #expect(try await iterator.next() == nil)
        #expect(iterator.reconnectionTime == nil)
    }
}
