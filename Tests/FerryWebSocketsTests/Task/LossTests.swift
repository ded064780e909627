import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("WebSockets whose connection is lost or not made")
struct LossTests {
    private let session = CurlSession(configuration: .ephemeral)

    @Test(
        "A connection that is lost after the handshake is closed with 1006, also before the first frame",
        arguments: [false, true],
        [false, true]
    )
    func loss(isReset: Bool, hasFrame: Bool) async throws {
        let server = try RawServer.webSocket { connection in
            if hasFrame { connection.write(ServerFrame(.text, "first").bytes) }
            // The program may not have read the response before it has sent a message.
            while ClientFrame.all(in: connection.received).isEmpty, connection.readMore() {}
            if isReset { connection.resetOnClose() }
        }
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        if hasFrame { #expect(try await task.receive() == .string("first")) }
        try await task.send(.string("x"))
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .closed && error?.closeCode == .abnormalClosure)
        if let cause = error?.underlyingError as? URLError {
            #expect(cause.code == .networkConnectionLost && cause.failingURL?.scheme == "ws")
        }
        await #expect(throws: WebSocketError.self) { for try await _ in task.messages {} }
        await task.waitForEnd()
        #expect(task.closeCode == .abnormalClosure)
        if !isReset { #expect(task.error == nil && error?.underlyingError == nil) }
    }

    @Test("The URL of an error has the scheme of the program's URL", arguments: ["ws", "wss", "http", "https", "WS"])
    func failingURL(scheme: String) async throws {
        let port = try ClosedPort()
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(port.port)/room"))
        let task = session.webSocket(with: url)
        task.resume()
        let error = await #expect(throws: URLError.self) { try await task.receive() }
        #expect(error?.code == .cannotConnectToHost)
        let expected = "\(scheme.lowercased())://127.0.0.1:\(port.port)/room"
        #expect(error?.failingURL?.absoluteString == expected)
        #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == expected)
        withExtendedLifetime(port) {}
    }
}
