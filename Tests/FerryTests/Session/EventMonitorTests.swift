import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Event monitors", .timeLimit(.minutes(5)))
struct EventMonitorTests {
    private struct Recorder: EventMonitor {
        let name: String
        let events: Watched<[String]>

        private func note(_ event: String) {
            events.change { $0.append("\(name) \(event)") }
        }

        func taskDidCreate(_ task: URLSessionTask) { note("create") }
        func taskDidResume(_ task: URLSessionTask) { note("resume") }
        func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {
            note("redirect \(request?.url?.path ?? "nil")")
        }
        func task(_ task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
            note("interim \(response.statusCode)")
        }
        func task(_ task: URLSessionTask, didReceive response: URLResponse) { note("response") }
        func task(_ task: URLSessionTask, didReceive data: Data) { note("data \(data.count)") }
        func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) { note("complete") }
        func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
            note("finish \(completion.response.statusCode ?? 0)")
        }
    }

    @Test("Every monitor receives every event, in order", arguments: TestTransport.all)
    func order(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from" ? .redirect(to: "/to") : .text("xyz")
        }
        let manager = transport.manager(baseURL: server.url)
        let events = Watched<[String]>([])
        manager.eventMonitors = [Recorder(name: "a", events: events), Recorder(name: "b", events: events)]
        _ = try await manager.send(.get("from", serializer: .string))
        try await events.wait { $0.last == "b finish 200" }
        let expected = ["create", "resume", "redirect /to", "response", "data 3", "complete", "finish 200"]
        #expect(events.current.filter { $0.hasPrefix("a") } == expected.map { "a \($0)" })
        #expect(events.current.filter { $0.hasPrefix("b") } == expected.map { "b \($0)" })
    }

    @Test("A monitor receives interim responses before the final one") func earlyHints() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        let server = try RawServer(answering: hints + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let manager = HTTPSessionManager(baseURL: server.url(), configuration: .ephemeral)
        let events = Watched<[String]>([])
        manager.eventMonitors = [Recorder(name: "a", events: events)]
        _ = try await manager.send(.get("", serializer: .string))
        #expect(
            events.current.filter { $0.contains("response") || $0.contains("interim") } == [
                "a interim 103", "a response",
            ]
        )
    }
}
