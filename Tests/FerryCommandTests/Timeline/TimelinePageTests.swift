import Foundation
import Testing

@testable import FerryCommand

@Suite("Pages of timelines")
struct TimelinePageTests {
    private func request(_ transfer: Int, _ url: String, status: Int? = 200, failure: String? = nil) -> RequestTiming {
        RequestTiming(transfer: transfer, url: url, status: status, wanted: 0, start: 0.1, end: 1, failure: failure)
    }

    private func page(_ requests: [RequestTiming]) -> String {
        Timeline(requests, startedAt: "2026-01-02 03:04:05 UTC").page
    }

    @Test("The heading and each transfer are pictures, which together have all that the file has")
    func parts() throws {
        let requests = [
            request(0, "https://a/1"), request(0, "https://a/2"),
            request(1, "https://a/3", status: nil, failure: "lost"), request(2, "https://a/4"),
        ]
        let timeline = Timeline(requests, startedAt: "now")
        let (whole, parts) = (try Drawing(timeline.svg), try Drawing(page: timeline.page))
        #expect(parts.elements("text", nil).map(\.text).sorted() == whole.elements("text", nil).map(\.text).sorted())
        #expect(parts.elements("line", "f-grid").count == whole.elements("line", "f-grid").count)
        #expect(parts.elements("path", nil).count == whole.elements("path", nil).count)

        // The parts follow one another without gaps.
        #expect(timeline.transfers.map(\.count) == [2, 1, 1])
        #expect(parts.elements("li", nil).count == 3)
        let boxes = parts.elements("svg", "ferry").compactMap { part -> [Double]? in
            part.attributes["viewBox"]?.split(separator: " ").compactMap { Double($0) }
        }
        #expect(boxes.count == 4)
        for (box, next) in zip(boxes, boxes.dropFirst()) { #expect(box[1] + box[3] == next[1]) }
        #expect(boxes.last.map { $0[1] + $0[3] + TimelineLayout.margin } == timeline.height)
    }

    @Test("Rows have the words of the filter as attributes, and transfers whether a request failed")
    func attributes() throws {
        var upload = request(1, "https://a/up", status: 503, failure: "HTTP 503 Service Unavailable")
        upload.method = "PUT"
        let drawing = try Drawing(page: page([request(0, "https://a/1"), upload, request(1, "https://a/2")]))
        let texts = drawing.elements("g", nil).compactMap { $0.attributes["data-text"] }
        let failed = "PUT 503 https://a/up HTTP 503 Service Unavailable"
        #expect(texts == ["GET 200 https://a/1", failed, "GET 200 https://a/2"])
        #expect(drawing.elements("li", nil).map { $0.attributes["data-failed"] } == [nil, ""])
    }

    @Test("Any URL and any message stay text: they do not change the structure, the style or the script of a page")
    func escapes() throws {
        let attack = "\"><script>alert(1)</script></style>' onload='x' <!-- ]]> \u{0}\u{202E}\r&amp;"
        let (plain, strange) = (page([request(0, "a", failure: "b")]), page([request(0, attack, failure: attack)]))
        let names = ["li", "g", "svg", "text", "title", "rect", "path", "script", "style"]
        let (first, second) = (try Drawing(page: plain), try Drawing(page: strange))
        for name in names { #expect(first.elements(name, nil).count == second.elements(name, nil).count, "\(name)") }
        for mark in ["<script", "</script", "<style", "</style", "<!--"] {
            #expect(strange.ranges(of: mark).count == plain.ranges(of: mark).count, "\(mark)")
        }
        let text = try #require(second.elements("g", nil).compactMap { $0.attributes["data-text"] }.first)
        let shown = attack.replacing(/[\0\u{202E}\r]/, with: "\u{FFFD}")
        #expect(text == "GET 200 \(shown) \(shown)")
    }

    @Test("The policy allows nothing but the style and the script of the page", arguments: ["style", "script"])
    func policy(_ element: String) throws {
        let page = page([request(0, "https://a/?\"'<script>")])
        let pieces = page.split(separator: "<\(element)>", omittingEmptySubsequences: false)
        #expect(pieces.count == 2)
        let text = try #require(pieces.last?.split(separator: "</\(element)>", omittingEmptySubsequences: false).first)
        let policy = try #require(page.firstMatch(of: /http-equiv="Content-Security-Policy" content="([^"]*)"/)?.1)
        let rules = policy.split(separator: "; ")
        #expect(rules.first == "default-src 'none'")
        #expect(rules.contains("\(element)-src \(TimelinePage.source(String(text)))"))
        #expect(!page.contains("unsafe-inline"))
        #expect(page.ranges(of: /\s(style|on[a-z]+|src|href)\s*=/).isEmpty)
    }

    @Test("The source of a text is its SHA-256 hash")
    func source() {
        // printf "alert('Hello, world.');" | openssl dgst -sha256 -binary | base64
        let hash = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
        #expect(TimelinePage.source("alert('Hello, world.');") == hash)
    }

    @Test("The controls are labelled, and hidden until the script shows them")
    func controls() throws {
        let drawing = try Drawing(page: page([]))
        let bar = try #require(drawing.elements("div", nil).first)
        #expect(bar.attributes["hidden"] == "" && bar.attributes["id"] == "f-filter")
        #expect(drawing.elements("input", nil).map { $0.attributes["type"] } == ["search", "checkbox"])
        #expect(drawing.elements("label", nil).map(\.text) == ["Filter ", " failed only"])
        #expect(drawing.elements("output", nil).count == 1)
        #expect(drawing.elements("li", nil).isEmpty)
    }

    @Test(
        "The filter shows the transfers that have a request with all words, and counts their requests",
        .enabled(if: ScriptedPage.isNodeInstalled, "Node.js is not installed")
    )
    func filter() async throws {
        var upload = request(1, "https://b/Up?x=<1>&y=\"2\"", status: 503, failure: "HTTP 503 Service Unavailable")
        upload.method = "PUT"
        let requests = [
            request(0, "https://a/1", status: 302), request(0, "https://a/2"), upload,
            request(2, "https://a/3", status: nil, failure: "connection lost"),
        ]
        let entries: [(ScriptedPage.Entry, shown: [Int], count: Int)] = [
            (.init(words: "a/2"), [0], 2), (.init(words: "HTTPS://A"), [0, 2], 3), (.init(words: "put 503"), [1], 1),
            (.init(words: " 503  b/up "), [1], 1), (.init(words: "x=<1>&y=\"2\""), [1], 1),
            (.init(words: "lost"), [2], 1),
            // Both words are in the transfer, but in different requests.
            (.init(words: "302 a/2"), [], 0), (.init(words: "nowhere"), [], 0),
            (.init(failedOnly: true), [1, 2], 2), (.init(words: "get", failedOnly: true), [2], 1),
            (.init(words: "302", failedOnly: true), [], 0), (.init(), [0, 1, 2], 4),
        ]
        let views = try await ScriptedPage(page: page(requests)).views(entries.map(\.0))
        #expect(views.count == 1 + entries.count)
        #expect(views.first == ScriptedPage.View(shown: [0, 1, 2], count: "4 of 4 requests"))
        for (view, entry) in zip(views.dropFirst(), entries) {
            let expected = ScriptedPage.View(shown: entry.shown, count: "\(entry.count) of 4 requests")
            #expect(view == expected, "\(entry.0)")
        }
    }

    @Test(
        "The number of requests is right for one and for none",
        .enabled(if: ScriptedPage.isNodeInstalled, "Node.js is not installed")
    )
    func count() async throws {
        let one = try await ScriptedPage(page: page([request(0, "a")])).views([.init(words: "b")])
        #expect(one.map(\.count) == ["1 of 1 request", "0 of 1 request"])
        let none = try await ScriptedPage(page: page([])).views([])
        #expect(none == [ScriptedPage.View(shown: [], count: "0 of 0 requests")])
    }
}
