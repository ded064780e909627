import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite(
    "Timelines of runs",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct TimelineRunTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func url(_ target: String) -> String {
        server.url(target).absoluteString
    }

    private func ferry(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder)
    }

    @Test("A timeline shows all requests: parallel, redirected, reused and failed", arguments: ["svg", "html"])
    func timeline(_ ending: String) async throws {
        let urls = (1...6).map { url("/bytes/\($0)000") }
        let closed = try ClosedPort()
        let refused = closed.url.appendingPathComponent("gone").absoluteString
        let more = [url("/redirect-to?url=/bytes/7"), url("/status/404"), refused]
        let arguments = ["-s", "-P", "4", "-O", "--timeline", "t.\(ending)"] + urls + more
        let outcome = try await FerryProcess.run(arguments, in: folder)
        withExtendedLifetime(closed) {}
        #expect(outcome.status == 22)
        let text = try #require(folder.text("t.\(ending)"))
        let drawing = try ending == "svg" ? Drawing(text) : Drawing(page: text)
        let labels = drawing.elements("text", "f-url").map(\.text)
        #expect(labels.count == 10)
        #expect(labels.prefix(6) == urls[...])
        #expect(drawing.elements("path", "f-elbow").count == 1)
        #expect(drawing.elements("path", "f-cross").count == 3)
        #expect(drawing.elements("text", "f-cell").contains { $0.text == "reused" })
        #expect(drawing.elements("text", "f-note").count == 1)
    }

    @Test("URLs that wait for others to end are drawn from the start of the run, and logged")
    func waiting() async throws {
        let urls = ["/delay/400", "/delay/401", "/redirect-to?url=/bytes/3", "/bytes/4"].map(url)
        let outcome = try await FerryProcess.run(
            ["-s", "-P", "2", "-O", "--timeline", "t.html", "--json-log", "log", "--timings"] + urls,
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let drawing = try Drawing(page: folder.text("t.html") ?? "")
        let details = drawing.titles.filter { $0.hasPrefix("http://") }
        #expect(details.map { $0.contains("\nbehind others: ") } == [false, false, true, false, true], "\(details)")
        let bars = drawing.elements("rect", "f-turn").filter { $0.number("x") == TimelineLayout.chart }
        #expect(bars.count == 2)
        let tenth = TimelineLayout.chartWidth / 10
        #expect(bars.allSatisfy { $0.number("width") > tenth })

        let requests = try (folder.text("log") ?? "").split(separator: "\n").flatMap { line in
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return event?["requests"] as? [[String: Any]] ?? []
        }
        let waits = requests.compactMap { request -> Double? in
            guard let ready = request["ready"] as? Double, let wanted = request["wanted"] as? Double else { return nil }
            return wanted - ready
        }
        #expect(waits.count == 5)
        #expect(waits.count { $0 > 0.1 } == 2 && waits.count { $0 == 0 } == 3, "\(waits)")
        // The table has only the columns of requests.
        #expect(outcome.errorLines.contains { $0.hasPrefix("status  queued") })
    }

    @Test("A request interrupted before its response is drawn too")
    func interruptedEarly() async throws {
        let target = url("/stall-before")
        let process = try FerryProcess(["--timeline", "t.svg", "-w", "%{exitcode}", target], in: folder)
        try await server.waitForRequests(1, timeout: 40 * patience)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT && outcome.text == "130")
        let drawing = try Drawing(folder.text("t.svg") ?? "")
        #expect(drawing.elements("text", "f-url").map(\.text) == [target])
        #expect(drawing.elements("rect", "f-wait").count == 2)
    }

    @Test("A timeline that cannot be written is an error before anything is sent")
    func unwritable() async throws {
        #expect(try await ferry("--timeline", "x.png", url("/echo")).status == 2)
        let outcome = try await ferry("--timeline", "no/folder/x.svg", url("/echo"))
        #expect(outcome.status == 23)
        #expect(outcome.errors.contains("no/folder/x.svg: "))
        #expect(server.connectionCount == 0)
    }
}
