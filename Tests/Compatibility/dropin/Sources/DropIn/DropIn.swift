import FerrySession
import FerryTesting

struct User: Codable, Equatable, Sendable {
    var name: String
}

/// Makes a request over `CurlSession` with each library of the article, and exits with status 1 if one fails.
@main enum DropIn {
    static func main() async throws {
        let ada = User(name: "Ada")
        let arrival = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            guard request.path == "/events" else { return .json(encoding: ada) }
            return .stream(contentType: "text/event-stream") { stream in
                stream.write("data: first\n\n")
                let streamed = arrival.wait(timeout: .now() + 10) == .success
                stream.write("data: \(streamed ? "second" : "the first event did not arrive")\n\n")
            }
        }

        var failed = false
        func check(_ library: String, _ body: () async throws -> Bool) async {
            let result: String
            do {
                result = try await body() ? "passed" : "unexpected result"
            } catch {
                result = "\(error)"
            }
            if result != "passed" { failed = true }
            print("\(library): \(result)")
        }

        await check("Alamofire") { try await alamofireUser(at: server.url("/alamofire")) == ada }
        await check("Get") { try await getUser(at: server.url("/get")) == ada }
        await check("EventSource") {
            let events = try await eventSourceEvents(at: server.url("/events"), signalling: arrival)
            return events == ["first", "second"]
        }
        await check("The server's requests") {
            server.requests.map(\.target) == ["/alamofire", "/get", "/events"]
        }
        if failed { exit(1) }
    }
}
