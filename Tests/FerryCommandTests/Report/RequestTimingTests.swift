import Testing

@testable import FerryCommand

@Suite("Request phases")
struct RequestTimingTests {
    private typealias Span = RequestTiming.Span

    /// A request over TLS on a new connection, queued at 1 second and started at 2.
    private let request = RequestTiming(
        url: "https://a/",
        status: 200,
        wanted: 1,
        start: 2,
        nameLookup: 1,
        connect: 2,
        secureConnect: 4,
        requestStart: 4.5,
        responseStart: 6,
        end: 8
    )

    @Test("The phases follow one another without gaps")
    func whole() {
        #expect(
            request.spans == [
                Span(phase: .queued, from: 1, to: 2), Span(phase: .name, from: 2, to: 3),
                Span(phase: .connect, from: 3, to: 4), Span(phase: .tls, from: 4, to: 6),
                Span(phase: .wait, from: 6, to: 8), Span(phase: .receive, from: 8, to: 10),
            ]
        )
        #expect(request.duration(of: .tls) == 2)
    }

    @Test("The wait for other transfers precedes the queue, and is missing without one")
    func turn() {
        var request = request
        request.ready = 0.5
        let first = [Span(phase: .turn, from: 0.5, to: 1), Span(phase: .queued, from: 1, to: 2)]
        #expect(request.spans.prefix(2) == first[...])
        #expect(request.duration(of: .turn) == 0.5 && request.duration(of: .queued) == 1)
        // The system clock was set back while the transfer waited.
        request.ready = 3
        #expect(request.spans.first == Span(phase: .queued, from: 1, to: 2))
        #expect(self.request.duration(of: .turn) == 0)
    }

    @Test("Times are counted from another moment of the run")
    func counted() {
        var request = request
        request.ready = 0.5
        let moved = request.counted(from: 0.5)
        #expect(moved.spans == request.spans.map { Span(phase: $0.phase, from: $0.from - 0.5, to: $0.to - 0.5) })
        #expect(self.request.counted(from: 1).ready == nil)
    }

    @Test("A reused connection has no lookup, connect or TLS phase")
    func reused() {
        var request = request
        request.isReused = true
        (request.nameLookup, request.connect, request.secureConnect) = (0.01, 0, 0)
        request.requestStart = 0.5
        #expect(
            request.spans == [
                Span(phase: .queued, from: 1, to: 2.5), Span(phase: .wait, from: 2.5, to: 8),
                Span(phase: .receive, from: 8, to: 10),
            ]
        )
    }

    @Test(
        "A request without a response ends in the phase that was in progress",
        arguments: [
            (0, 0, 0, 0, .name), (1, 0, 0, 0, .connect), (1, 2, 0, 0, .tls), (1, 2, 3, 0, .wait), (1, 2, 3, 4, .wait),
        ] as [(Double, Double, Double, Double, RequestPhase)]
    )
    func failed(_ name: Double, _ connect: Double, _ tls: Double, _ sent: Double, _ phase: RequestPhase) {
        var request = request
        request.status = nil
        (request.nameLookup, request.connect, request.secureConnect) = (name, connect, tls)
        (request.requestStart, request.responseStart) = (sent, 0)
        #expect(request.spans.last?.phase == phase)
        #expect(request.spans.last?.to == 10)
    }

    @Test("Without TLS a connected request waits for its response; one that never started was queued")
    func plain() {
        var request = RequestTiming(url: "http://a", connect: 1, end: 2)
        #expect(request.spans.map(\.phase) == [.connect, .wait])
        #expect(RequestTiming(url: "http://a", wanted: 1, start: 2).spans.map(\.phase) == [.queued])
        #expect(RequestTiming().spans.isEmpty)
        request = RequestTiming(url: "https://a", nameLookup: 1, end: 2, failedPhase: .tls)
        #expect(request.spans.map(\.phase) == [.name, .tls])
    }

    @Test("The table has a line for each request, and its columns are aligned; waits for others have no column")
    func table() throws {
        var request = request
        request.ready = 0
        var redirected = request
        (redirected.isReused, redirected.url) = (true, "https://a/" + String(repeating: "x", count: 300))
        let lines = TimingTable.lines([request, redirected])
        #expect(lines.count == 3)
        let heads = ["status", "queued", "DNS", "connect", "TLS", "wait", "receive", "total", "size", "URL"]
        #expect(lines[0].split(separator: " ").map(String.init) == heads)
        #expect(lines[1].hasSuffix("  https://a/"))
        let cells = ["200", "1.0 s", "1.0 s", "1.0 s", "2.0 s", "2.0 s", "2.0 s", "8.0 s", "0 B", "https://a/"]
        #expect(lines[1].replacing(/\ {2,}/, with: "|").split(separator: "|").map(String.init) == cells)
        #expect(lines[2].hasSuffix(" (connection reused)"))
        let columns = lines.map { $0.prefix { $0 != "U" && $0 != "h" }.count }
        #expect(Set(columns).count == 1, "\(lines)")
        #expect(lines[2].count < 220)
    }
}
