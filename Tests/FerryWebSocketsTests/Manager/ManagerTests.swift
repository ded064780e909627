import TestSupport
import Testing
import WebSocketSupport

@testable import FerryWebSockets

@Suite("WebSockets of a manager", .enabled(if: WebSocketPeer.isWanted, "Needs python3 with websockets"))
struct ManagerTests {
    private struct Note: Codable, Equatable {
        var text: String
        var number: Int
    }

    private func manager() throws -> HTTPSessionManager {
        let url = try WebSocketPeer.shared().url("").absoluteString.replacingOccurrences(of: "ws:", with: "http:")
        return HTTPSessionManager(baseURL: URL(string: url))
    }

    @Test("The handshake has the manager's fields, its query and what its interceptors set")
    func handshake() async throws {
        struct Token: RequestInterceptor {
            func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
                var request = request
                request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let manager = try manager()
        manager.requestSerializer.headers["X-Service"] = "notes"
        manager.interceptors = [Token()]
        let socket = try manager.webSocket("fields", parameters: ["room": 7])
        socket.resume()
        let fields = try await socket.receive([String: String].self)
        #expect(fields[":path"] == "/fields?room=7")
        #expect(fields["x-service"] == "notes")
        #expect(fields["authorization"] == "Bearer secret")
        socket.cancel()
    }

    @Test("The manager's retry policy applies to the handshake")
    func retry() async throws {
        let count = Watched(0)
        let server = try RawServer { connection in
            let head = connection.readHead()
            count.change { $0 += 1 }
            guard count.current > 1 else {
                connection.write("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            }
            connection.write(RawServer.answer(to: head))
            connection.write(ServerFrame(.text, "open").bytes)
            connection.readAll()
        }
        let manager = HTTPSessionManager(baseURL: server.url())
        var policy = RetryPolicy()
        policy.backoff = .init(base: 0)
        manager.retryPolicy = policy
        let socket = try manager.webSocket("room")
        socket.resume()
        #expect(try await socket.receive() == .string("open"))
        socket.cancel()
    }

    @Test("Values are sent and received as JSON, and a message that is none loses no other")
    func json() async throws {
        let socket = try manager().webSocket("echo")
        socket.resume()
        let note = Note(text: "ä\"", number: 3)
        try await socket.send(json: note)
        #expect(try await socket.receive(Note.self) == note)
        try await socket.send(.string("no JSON"))
        try await socket.send(json: note)
        let error = await #expect(throws: WebSocketError.self) { try await socket.receive(Note.self) }
        #expect(error?.code == .coding)
        #expect(try await socket.receive(Note.self) == note)
        socket.cancel()
    }

    @Test("A manager with the system's session has no WebSockets")
    func otherTransport() {
        let manager = HTTPSessionManager(baseURL: nil, transport: .system)
        let error = #expect(throws: WebSocketError.self) { try manager.webSocket("http://127.0.0.1/") }
        #expect(error?.code == .invalidRequest)
    }
}
