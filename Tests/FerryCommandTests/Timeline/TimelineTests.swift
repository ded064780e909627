import Foundation
import Testing

@testable import FerryCommand

@Suite("Timelines")
struct TimelineTests {
    private func request(_ transfer: Int, _ url: String, wanted: Double, end: Double) -> RequestTiming {
        RequestTiming(
            transfer: transfer,
            url: url,
            status: 200,
            protocolName: "h2",
            bytesReceived: 1500,
            wanted: wanted,
            start: wanted + 0.1,
            nameLookup: 0.1,
            connect: 0.2,
            secureConnect: 0.3,
            requestStart: 0.3,
            responseStart: 0.4,
            end: end
        )
    }

    private func drawing(_ requests: [RequestTiming]) throws -> Drawing {
        try Drawing(Timeline(requests, startedAt: "2026-01-02 03:04:05 UTC").svg)
    }

    @Test("Every request has adjacent bars for its phases, and the last bar ends at the chart's edge")
    func bars() throws {
        let drawing = try drawing([request(0, "https://a/1", wanted: 5, end: 0.9)])
        let bars = try ["f-queued", "f-dns", "f-connect", "f-tls", "f-wait", "f-receive"].map { style in
            try #require(drawing.elements("rect", style).first { $0.number("x") > 0 && $0.number("y") > 90 })
        }
        for (bar, next) in zip(bars, bars.dropFirst()) {
            #expect(abs(bar.number("x") + bar.number("width") - next.number("x")) < 0.02)
        }
        // The time axis starts with the first request.
        #expect(bars[0].number("x") == TimelineLayout.chart)
        let end = TimelineLayout.chart + TimelineLayout.chartWidth
        #expect(abs(bars[5].number("x") + bars[5].number("width") - end) < 0.02)
        #expect(abs(bars[0].number("width") * 10 - TimelineLayout.chartWidth) < 0.2)
    }

    @Test("Redirects are rows below their request, and other URLs are not")
    func redirections() throws {
        let requests = [
            request(0, "https://a/1", wanted: 0, end: 1), request(0, "https://a/2", wanted: 1, end: 1),
            request(1, "https://a/3", wanted: 0, end: 1),
        ]
        let rows = Timeline(requests, startedAt: "").rows
        #expect(rows.map(\.isFollowing) == [false, true, false])
        #expect(rows.map(\.isStriped) == [false, false, true])
        for (row, next) in zip(rows, rows.dropFirst()) { #expect(row.top + row.height == next.top) }
        #expect(try drawing(requests).elements("path", "f-elbow").count == 1)
    }

    @Test("Failures are marked, and described if the status does not do so")
    func failures() throws {
        var missing = request(0, "https://a/1", wanted: 0, end: 1)
        missing.status = 404
        missing.failure = "HTTP 404 Not Found"
        var lost = request(1, "https://a/2", wanted: 0, end: 1)
        lost.status = nil
        lost.failure = "lost & <gone>"
        let drawing = try drawing([missing, lost, request(2, "https://a/3", wanted: 0, end: 1)])
        // One of the crosses is in the legend.
        #expect(drawing.elements("path", "f-cross").count == 3)
        #expect(drawing.elements("text", "f-note").map(\.text) == ["lost & <gone>"])
        #expect(drawing.elements("text", "f-soft").contains { $0.text.hasPrefix("3 requests, 2 failed, 4.5 kB ") })
    }

    @Test("Any URL and any message make well-formed XML, and stay within their column")
    func escapes() throws {
        let long = "https://a/" + String(repeating: "segment/", count: 500) + "?a=1&b=<script>\"'"
        var strange = request(0, "x\u{0}\u{1B}\u{202E}]]>\u{FFFE}", wanted: 0, end: 1)
        strange.failure = String(repeating: "日本語 ]]>\n", count: 100)
        let drawing = try drawing([request(1, long, wanted: 0, end: 1), strange])
        let labels = drawing.elements("text", "f-url").map(\.text)
        #expect(labels[0].count == TimelineLayout.urlLetters)
        #expect(labels[0].hasPrefix("https://a/segment/") && labels[0].hasSuffix("b=<script>\"'"))
        #expect(labels[1] == "x\u{FFFD}\u{FFFD}\u{FFFD}]]>\u{FFFD}")
        // The whole URL is in the tooltip.
        #expect(drawing.titles.contains { $0.hasPrefix(long) })
    }

    @Test(
        "No requests, zero duration and invalid times are drawn too",
        arguments: [0, 1e-9, 1e30, .infinity] as [Double]
    )
    func odd(_ end: Double) throws {
        #expect(try drawing([]).elements("text", "f-url").isEmpty)
        let drawing = try drawing([request(0, "https://a", wanted: 0, end: end)])
        for bar in drawing.elements("rect", nil) {
            #expect(bar.number("width") > 0)
            #expect(bar.number("x") + bar.number("width") <= TimelineLayout.width + 1)
        }
    }

    @Test(
        "The axis has three to eight marks at round numbers",
        arguments: [
            (0.0093, ["0", "2 ms", "4 ms", "6 ms", "8 ms"]), (1, ["0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1 s"]),
            (0.000_35, ["0", "0.05 ms", "0.1 ms", "0.15 ms", "0.2 ms", "0.25 ms", "0.3 ms", "0.35 ms"]),
            (150, ["0", "50 s", "100 s", "150 s"]), (0.5, ["0", "0.1 s", "0.2 s", "0.3 s", "0.4 s", "0.5 s"]),
        ] as [(Double, [String])]
    )
    func axis(_ end: Double, _ labels: [String]) {
        #expect(TimelineAxis(end: end).ticks.map(\.label) == labels)
    }

    @Test("The wait for other transfers has a bar from the start of the run, and a line in the tooltip")
    func turns() throws {
        var late = request(1, "https://a/2", wanted: 2, end: 0.9)
        late.ready = 1
        // The axis starts when the URLs were known, which is before the first request.
        let drawing = try drawing([request(0, "https://a/1", wanted: 1.5, end: 0.9), late])
        let rows = drawing.elements("rect", "f-turn").filter { $0.number("y") > TimelineLayout.firstRow }
        let bar = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(bar.number("x") == TimelineLayout.chart)
        #expect(abs(bar.number("width") - TimelineLayout.chartWidth / 2) < 0.02)
        #expect(drawing.titles.filter { $0.contains("\nbehind others: 1.0 s\nqueued: 100 ms\n") }.count == 1)
        #expect(drawing.elements("text", "f-soft").contains { $0.text == "behind others" })
    }

    @Test("The legend lies within the picture, and every phase has its own colour in light and dark mode")
    func legend() throws {
        let marks = try drawing([]).elements("rect", nil).filter { $0.number("y") == 44 }
        #expect(marks.count == RequestPhase.allCases.count)
        #expect(marks.allSatisfy { $0.number("x") > TimelineLayout.width / 2 - TimelineLayout.margin })
        #expect(marks.allSatisfy { $0.number("x") < TimelineLayout.width - 2 * TimelineLayout.margin })
        let colors = RequestPhase.allCases.flatMap { phase in
            TimelineStyle.text.matches(of: /\.(f-\w+) \{ fill: (#\w+); \}/).filter { $0.1 == phase.style }.map(\.2)
        }
        #expect(Set(colors).count == 2 * RequestPhase.allCases.count, "\(colors)")
        #expect(TimelineStyle.text.contains("@media (prefers-color-scheme: dark)"))
    }

    @Test("The file name extension determines the format", arguments: ["a.svg", "a.HTML", "a.png", ".svg", "svg"])
    func endings(_ name: String) {
        let isGood = (try? TimelineFile(path: name)) != nil
        #expect(isGood == (name.lowercased().hasSuffix(".svg") || name.lowercased().hasSuffix(".html")))
    }
}
