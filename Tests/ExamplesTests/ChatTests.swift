import Ferry
import Foundation
import TestSupport
import Testing
import WebSocketSupport

@testable import Examples

@Suite(
    "Example: chat",
    .enabled(if: WebSocketPeer.isWanted, "Needs python3 with websockets"),
    .timeLimit(.minutes(2))
)
struct ChatTests {
    @Test("What is said in a room arrives, and the room is left when no more is read")
    func room() async throws {
        let room = ChatRoom(try WebSocketPeer.shared().url("echo"), name: "Ada")
        let lines = room.lines { say in
            try await say("hello")
            try await say("is there anybody?")
        }
        var texts: [String] = []
        for try await line in lines {
            texts.append("\(line.name): \(line.text)")
            if texts.count == 2 { break }
        }
        #expect(texts == ["Ada: hello", "Ada: is there anybody?"])
    }

    @Test("A server that restarts slowly is asked more often than the standard policy does")
    func slowRestart() async throws {
        let requests = Watched(0)
        let server = try RawServer { connection in
            connection.readHead()
            requests.change { $0 += 1 }
            connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        }
        let room = ChatRoom(server.url(), name: "Ada")
        let reader = Task { for try await _ in room.lines(joined: { _ in }) {} }
        try await requests.wait { $0 == 5 }
        reader.cancel()
        _ = await reader.result
    }

    @Test("An echo comes back")
    func echo() async throws {
        let session = CurlSession(configuration: .ephemeral)
        let time = try await ChatRoom.echo("hello", WebSocketPeer.shared().url("echo"), session)
        #expect(time > .zero)
    }
}
