import FerryWebSockets

/// The snippets of the articles about WebSockets, compiled but not run.
enum WebSocketSnippets {
    struct Move: Codable {
        var from: String
        var to: String
    }

    static func first(session: CurlSession, url: URL) async throws {
        let socket = session.webSocket(with: url)
        socket.resume()
        try await socket.send(.string("hello"))
        for try await message in socket.messages {
            print(message)
        }
    }

    static func handlers(socket: WebSocketTask, photo: Data) {
        socket.send(.data(photo)) { error in
            if let error { print(error) }
        }
        socket.receive { result in
            print(result)
        }
        socket.sendPing { error in
            print(error == nil ? "alive" : "gone")
        }
    }

    static func manager(manager: HTTPSessionManager) throws {
        let socket = try manager.webSocket("rooms/7", protocols: ["chat"])
        socket.resume()
    }

    static func values(socket: WebSocketTask) async throws {
        try await socket.send(json: Move(from: "e2", to: "e4"))
        let answer = try await socket.receive(Move.self)
        print(answer)
    }

    static func end(socket: WebSocketTask) async {
        socket.cancel(with: .normalClosure, reason: Data("done".utf8))
        await socket.waitForEnd()
        print(socket.closeCode)
    }

    static func pings(session: CurlSession, url: URL) {
        var options = WebSocketTask.Options()
        options.pingInterval = 20
        let socket = session.webSocket(with: url, options: options)
        socket.resume()
    }

    static func reconnecting(session: CurlSession, request: URLRequest) async throws {
        let messages = session.webSocketMessages(with: request) { socket in
            try await socket.send(.string("subscribe"))
        }
        for try await message in messages {
            print(message)
        }
    }

    static func patient(session: CurlSession, request: URLRequest) -> ReconnectingMessages {
        var policy = RetryPolicy.standard
        policy.maximumRetries = 20
        let patient = session.webSocketMessages(with: request, reconnecting: policy)
        return patient
    }
}
