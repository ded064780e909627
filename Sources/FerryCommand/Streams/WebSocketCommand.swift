import FerryWebSockets

/// `ferry ws URL`: sends the lines of standard input as messages, and writes the messages that it receives.
struct WebSocketCommand: Sendable {
    /// The largest message that is received, in bytes.
    private static let maximumMessageSize = 1 << 26

    let options: FetchOptions
    let watcher: SignalWatcher

    func run() async -> ExitStatus {
        let console = Console(options)
        guard let url = options.urls.first else { return .usage }
        do {
            let session = try CurlSession.make(options, console: console)
            var socketOptions = WebSocketTask.Options()
            socketOptions.maximumMessageSize = Self.maximumMessageSize
            socketOptions.pingInterval = options.pingInterval
            let request = URLRequest(url, options, .none, to: .standardOutput)
            let socket = session.webSocket(with: request, options: socketOptions)
            watcher.start { socket.cancel(with: .goingAway) }
            socket.resume()
            let failed = Mutex<CommandFailure?>(nil)
            let input = Task { await send(to: socket) { failure in failed.withLock { $0 = failure } } }
            defer { input.cancel() }
            try await options.inTime {
                for try await message in socket.messages { try await write(message) }
                await socket.waitForEnd()
                try Task.checkCancellation()
            }
            if let failure = failed.withLock({ $0 }) { throw failure }
            return status(of: socket, url, console)
        } catch {
            if let interruption = watcher.interruption { return interruption }
            let failure = Self.failure(error, url)
            if failure.status != .brokenPipe { console.error(failure.message) }
            return failure.status
        }
    }

    private func status(of socket: WebSocketTask, _ url: URL, _ console: Console) -> ExitStatus {
        if let interruption = watcher.interruption { return interruption }
        let normal: [WebSocketTask.CloseCode] = [.normalClosure, .noStatusReceived]
        if normal.contains(socket.closeCode) { return .success }
        let reason = socket.closeReason.map { PresentableText.message(String(decoding: $0, as: UTF8.self)) } ?? ""
        let text =
            "\(url.presentableText): The server has closed the connection with the code \(socket.closeCode.rawValue)"
        console.error(reason.isEmpty ? text : "\(text): \(reason)")
        return .failedCheck
    }

    private static func failure(_ error: any Error, _ url: URL) -> CommandFailure {
        guard let error = error as? WebSocketError else { return CommandFailure(error, url: url) }
        let status: ExitStatus =
            switch error.code {
            case .invalidRequest: .usage
            case .refused: .http
            case .closed: .failedCheck
            case .timedOut: .timeout
            default: .network
            }
        return CommandFailure(status, "\(url.presentableText): \(error.message)")
    }

    // MARK: - Input and output

    private func write(_ message: WebSocketTask.Message) async throws {
        let output = OutputDescriptor.standardOutput
        switch message {
        case .string(let text): try await output.write(Data(text.utf8) + Data("\n".utf8))
        case .data(let data) where options.isBinary: try await output.write(data)
        case .data(let data): try await output.write(Data("base64:\(data.base64EncodedString())\n".utf8))
        }
    }

    /// Sends the lines of standard input, and closes the connection at the end.
    private func send(to socket: WebSocketTask, _ fail: (CommandFailure) -> Void) async {
        var lines = LineSplitter(limit: .max)
        do {
            try await socket.waitUntilOpen()
            while let piece = try await StandardInput.next() {
                if options.isBinary {
                    try await socket.send(.data(piece))
                } else {
                    lines.append(piece)
                    while let line = try lines.next() { try await socket.send(.string(line)) }
                }
            }
            if let rest = lines.last() { try await socket.send(.string(rest)) }
        } catch let failure as CommandFailure {
            fail(failure)
        } catch {
            // The code that receives messages reports the end of the connection.
            return
        }
        socket.cancel(with: .normalClosure)
    }
}

/// Standard input, read piece by piece on a thread of its own, since a read may wait for a person.
enum StandardInput {
    private static let queue = DispatchQueue(label: "ferry.input")

    /// Returns the next bytes; `nil` at the end.
    static func next() async throws -> Data? {
        try await queue.run { () -> Data? in
            var data = Data(count: 65_536)
            let count = data.withUnsafeMutableBytes { ProcessDescriptor.read(STDIN_FILENO, into: $0) }
            guard count >= 0 else { throw CommandFailure.file("standard input", "cannot be read", errno: errno) }
            return count == 0 ? nil : data.prefix(count)
        }
    }
}
