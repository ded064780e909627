import TestSupport
import Testing

@testable import FerryStreams

/// The cases are those of the folder `eventsource` of web-platform-tests; their names are those of its files.
@Suite("The format of event streams")
struct EventFormatTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let message: String
        let events: [String]
        /// The `Last-Event-ID` of the next request.
        var lastID = ""
        var delay: TimeInterval = 3
        var type = "text/event-stream"

        var testDescription: String { name }
    }

    private static let long = String(repeating: "x", count: 2 * 1024)

    /// The events are written as type, data and identifier.
    static let cases: [Case] = [
        .init(
            name: "event-data",
            message: "data:msg\ndata: msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\n"
                + "data\n\ndata:end\n\n",
            events: ["message|msg\nmsg|", "message||", "message|end|"]
        ),
        .init(
            name: "format-bom",
            message: "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            events: ["message|1|", "message|3|"]
        ),
        .init(
            name: "format-bom-2",
            message: "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n",
            events: ["message|2|", "message|3|"]
        ),
        .init(
            name: "format-comments",
            message: "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\n"
                + "data:4\n\n",
            events: ["message|1\n2\n3\n4|"]
        ),
        .init(
            name: "format-data-before-final-empty-line",
            message: "retry:1000\ndata:test1\n\nid:test\ndata:test2\n",
            events: ["message|test1|"],
            delay: 1
        ),
        .init(
            name: "format-field-data",
            message: "data:\n\ndata\ndata\n\ndata:test\n\n",
            events: ["message||", "message|\n|", "message|test|"]
        ),
        .init(name: "format-field-event-empty", message: "event: \ndata:data\n\n", events: ["message|data|"]),
        .init(
            name: "format-field-event",
            message: "event:test\ndata:x\n\ndata:x\n\n",
            events: ["test|x|", "message|x|"]
        ),
        .init(
            name: "format-field-id",
            message: "id: 1\u{2026}\ndata: hello\n\n",
            events: ["message|hello|1…"],
            lastID: "1…"
        ),
        .init(
            name: "format-field-id-2",
            message: "id: 1\ndata:a\n\ndata:b\n\nid\ndata:c\n\n",
            events: ["message|a|1", "message|b|1", "message|c|"]
        ),
        .init(
            name: "format-field-id-null",
            message: "id:\0\0\nid:x\0\nid:\0x\nid:x\0x\nid: \0\ndata:hello\n\n",
            events: ["message|hello|"]
        ),
        .init(
            name: "format-field-parsing",
            message: "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\r"
                + "data_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            events: ["message|\0\n 2\n1\n3\n\n4|"]
        ),
        .init(
            name: "format-field-retry-bogus",
            message: "retry:3000\nretry:1000x\ndata:x\n\n",
            events: ["message|x|"],
            delay: 3
        ),
        .init(name: "format-field-retry-empty", message: "retry\ndata:test\n\n", events: ["message|test|"]),
        .init(
            name: "format-field-retry",
            message: "retry:03000\nretry:01000\ndata:x\n\n",
            events: ["message|x|"],
            delay: 1
        ),
        .init(
            name: "format-field-unknown",
            message: "data:test\n data\ndata\nfoobar:xxx\njustsometext\n"
                + ":thisisacommentyay\ndata:test\n\n",
            events: ["message|test\n\ntest|"]
        ),
        .init(
            name: "format-leading-space",
            message: "data:\ttest\rdata: \ndata:test\n\n",
            events: ["message|\ttest\n\ntest|"]
        ),
        .init(
            name: "format-mime-trailing-semicolon",
            message: "data:;\n\n",
            events: ["message|;|"],
            type: "text/event-stream;"
        ),
        .init(
            name: "format-mime-valid-bogus",
            message: "data:x bogus\n\n",
            events: ["message|x bogus|"],
            type: "text/event-stream;x bogus"
        ),
        .init(
            name: "format-newlines",
            message: "data:test\r\ndata\ndata:test\r\n\r",
            events: ["message|test\n\ntest|"]
        ),
        .init(name: "format-null-character", message: "data:\0\n\n", events: ["message|\0|"]),
        .init(
            name: "format-utf-8",
            message: "data:ok…😀\n\n",
            events: ["message|ok…😀|"],
            type: "text/event-stream;charset=windows-1252"
        ),
    ]

    private func text(_ event: ServerSentEvent) -> String { "\(event.type)|\(event.data)|\(event.id)" }

    @Test("The cases of web-platform-tests give their events, in pieces of any size", arguments: cases)
    func pieces(row: Case) async throws {
        for size in [1, 2, 3, .max] {
            let events = try await ServerSentEvents(Pieces(row.message, size: size)).collected()
            #expect(events.map(text) == row.events)
        }
    }

    @Test(
        "The cases of web-platform-tests give their events from a server in Python, and the next connection goes on",
        .enabled(if: EventPeer.isWanted),
        arguments: cases
    )
    func peer(row: Case) async throws {
        let url = try EventPeer.shared().url(row.message, type: row.type)
        let delays = Watched<[TimeInterval]>([])
        let session = CurlSession(configuration: .ephemeral)
        let request = URLRequest(url: url)
        let source = EventSource(session: session, request: request, options: .init(), sleep: { delays.append($0) })
        var events: [ServerSentEvent] = []
        for try await event in source { events.append(event) }
        #expect(events.dropLast().map(text) == row.events)
        #expect(events.last?.type == "last")
        #expect(events.last?.data == row.lastID)
        #expect(delays.current.first == row.delay)
    }

    @Test("A type that is none is an error, as in format-mime-bogus", .enabled(if: EventPeer.isWanted))
    func bogusType() async throws {
        let url = try EventPeer.shared().url("data: 1\n\n", type: "x bogus")
        let source = CurlSession(configuration: .ephemeral).eventSource(from: url)
        let error = await #expect(throws: EventSourceError.self) { try await source.collected() }
        #expect(error?.code == .unacceptableContentType)
    }

    @Test("A large identifier is sent as it came", .enabled(if: EventPeer.isWanted))
    func largeIdentifier() async throws {
        let url = try EventPeer.shared().url("id: \(String(repeating: "i", count: 20_000))\ndata: 1\n\n")
        let session = CurlSession(configuration: .ephemeral)
        let source = EventSource(session: session, request: URLRequest(url: url), options: .init(), sleep: { _ in })
        var iterator = source.makeAsyncIterator()
        #expect(try await iterator.next()?.id.count == 20_000)
        #expect(try await iterator.next()?.data.count == 20_000)
        #expect(try await iterator.next() == nil)
    }

    @Test("Damaged streams have in any pieces the same events")
    func mutations() async throws {
        var random = SeededGenerator(92)
        let sample = Array(
            "\u{FEFF}:c\r\nid: 1é\ndata: a😀\rdata\r\n\r\nevent: x\nretry: 10\ndata:b\n\nid\ndata: c\n\n".utf8
        )
        for _ in 0..<(Mutations.count / 5) {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { break }
                let replacement = [0x0A, 0x0D, 0x3A, 0x20, 0, 0xEF, 0xBB, 0xF0, 0x80, 0xFF] as [UInt8]
                bytes[index] = replacement.randomElement(using: &random) ?? 0
            }
            let whole = try await ServerSentEvents(Pieces(Data(bytes))).collected()
            for size in [1, 4] {
                let events = try await ServerSentEvents(Pieces(Data(bytes), size: size)).collected()
                #expect(events == whole, "\(bytes)")
            }
        }
    }
}
