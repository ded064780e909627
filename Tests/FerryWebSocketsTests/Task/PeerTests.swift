import FerryTesting
import NginxSupport
import TestSupport
import Testing
import WebSocketSupport

@testable import FerryWebSockets

/// Tests with another server: the `websockets` package for Python.
@Suite("WebSockets with a Python server", .enabled(if: WebSocketPeer.isWanted, "Needs python3 with websockets"))
struct PeerTests {
    private let session = CurlSession(configuration: .ephemeral)

    private func open(
        _ path: String,
        protocols: [String] = [],
        _ options: WebSocketTask.Options = .init()
    ) throws -> WebSocketTask {
        let task = session.webSocket(with: try WebSocketPeer.shared().url(path), protocols: protocols, options: options)
        task.resume()
        return task
    }

    private static let sizes = [0, 1, 125, 126, 65_535, 65_536, 1_000_000]

    @Test("Messages of all sizes come back", arguments: [false, true])
    func echo(compresses: Bool) async throws {
        var options = WebSocketTask.Options()
        options.offersCompression = compresses
        let task = try open("echo", options)
        var random = SeededGenerator(1)
        for size in Self.sizes {
            let messages: [WebSocketTask.Message] = [
                .data(Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })),
                .string(String(repeating: "ä", count: size / 2)),
            ]
            for message in messages {
                try await task.send(message)
                #expect(try await task.receive() == message)
            }
        }
        let hasCompressed = task.response?.value(forHTTPHeaderField: "Sec-WebSocket-Extensions") != nil
        #expect(hasCompressed == compresses)
        task.cancel(with: .normalClosure)
        await task.waitForEnd()
        #expect(task.closeCode == .normalClosure)
    }

    @Test("Messages that are sent before the connection is open arrive in the order of the calls")
    func order() async throws {
        let task = session.webSocket(with: try WebSocketPeer.shared().url("echo"))
        let failures = Watched<[any Error]>([])
        for number in 0..<500 {
            task.send(.string("\(number)")) { error in failures.change { $0 += error.map { [$0] } ?? [] } }
            if number == 250 { task.resume() }
        }
        for number in 0..<500 { #expect(try await task.receive() == .string("\(number)")) }
        #expect(failures.current.isEmpty)
        task.cancel(with: .goingAway)
        await task.waitForEnd()
    }

    @Test("Handlers that wait receive messages in their order, on the delegate queue")
    func handlers() async throws {
        let task = try open("count/20")
        let received = Watched<[String]>([])
        for _ in 0..<20 {
            task.receive { [queue = session.delegateQueue] result in
                let isOnQueue = OperationQueue.current === queue
                if case .success(.string(let text)) = result { received.change { $0.append(isOnQueue ? text : "?") } }
            }
        }
        try await received.wait { $0.count == 20 }
        #expect(received.current == (0..<20).map(String.init))
    }

    @Test("A message in fragments is one message")
    func fragments() async throws {
        let task = try open("fragments")
        #expect(try await task.receive() == .string("κόσμε"))
        task.cancel()
    }

    @Test("The sequence of messages ends with a normal close, and throws after another one")
    func messages() async throws {
        var texts: [WebSocketTask.Message] = []
        let task = try open("count/3")
        for try await message in task.messages { texts.append(message) }
        #expect(texts == [.string("0"), .string("1"), .string("2")])
        #expect(task.closeCode == .normalClosure)
        let failing = try open("close/4321/because")
        await #expect {
            for try await _ in failing.messages {}
        } throws: { error in
            let error = error as? WebSocketError
            return error?.code == .closed && error?.closeCode?.rawValue == 4321
        }
        #expect(failing.closeReason == Data("because".utf8))
        await failing.waitForEnd()
    }

    @Test("A connection that breaks ends with 1006")
    func drop() async throws {
        let task = try open("drop")
        await #expect(throws: (any Error).self) { try await task.receive() }
        await task.waitForEnd()
        #expect(task.closeCode == .abnormalClosure)
        await #expect(throws: (any Error).self) { try await task.send(.string("late")) }
    }

    @Test("Pings are answered")
    func pings() async throws {
        let task = try open("echo")
        for _ in 0..<3 { try await task.ping() }
        let answered = Watched(0)
        task.sendPing { error in answered.change { $0 += error == nil ? 1 : 100 } }
        try await answered.wait { $0 == 1 }
        task.cancel()
    }

    @Test("The server chooses a subprotocol")
    func subprotocol() async throws {
        let task = try open("echo", protocols: ["none", "other"])
        try await task.ping()
        #expect(task.subprotocol == "other")
        task.cancel()
    }

    @Test("The handshake follows redirects, with the cookies and fields of the session")
    func redirect() async throws {
        var request = URLRequest(url: try WebSocketPeer.shared().url("redirect/fields"))
        request.setValue("yes", forHTTPHeaderField: "X-Mine")
        let task = session.webSocket(with: request)
        task.resume()
        guard case .string(let json) = try await task.receive() else {
            Issue.record("No text")
            return
        }
        let fields = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        #expect(fields["x-mine"] == "yes")
        #expect(fields["cookie"] == "from=redirect")
        #expect(fields["transfer-encoding"] == nil && fields["content-length"] == nil && fields["expect"] == nil)
        #expect(fields["accept-encoding"] == nil)
        task.cancel()
    }

    @Test("A challenge is answered with a stored credential")
    func challenge() async throws {
        let url = try WebSocketPeer.shared().url("login")
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: url.port ?? 0,
            protocol: "http",
            realm: "here",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        storage.setDefaultCredential(URLCredential(user: "ada", password: "love", persistence: .forSession), for: space)
        configuration.urlCredentialStorage = storage
        let task = CurlSession(configuration: configuration).webSocket(with: url)
        task.resume()
        try await task.send(.string("in"))
        #expect(try await task.receive() == .string("in"))
        task.cancel()
    }

    @Test("A refusal is an error with the response")
    func refusal() async throws {
        let task = try open("refuse/403")
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .refused)
        #expect(error?.response?.statusCode == 403)
        #expect(error?.message.contains("not today") == true)
        let sendError = await #expect(throws: WebSocketError.self) { try await task.send(.string("x")) }
        #expect(sendError?.code == .refused)
        await task.waitForEnd()
    }

    @Test("Open sockets leave the connections of a host to other requests")
    func slots() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let session = CurlSession(configuration: configuration)
        let tasks = try (0..<5).map { _ in session.webSocket(with: try WebSocketPeer.shared().url("echo")) }
        for task in tasks { task.resume() }
        for task in tasks { try await task.ping() }
        for task in tasks { task.cancel() }
    }

    @Test("Over TLS, with the session's trust")
    func tls() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificates = try ThrowawayCertificates(in: folder)
        let peer = try WebSocketPeer(certificate: certificates.certificate(.good), key: certificates.key(.good))
        let text = peer.url("echo").absoluteString.replacingOccurrences(of: "ws:", with: "wss:")
        let url = try #require(URL(string: text))
        var options = CurlSession.Options()
        options.tls.certificateAuthorities = .only([.pemFile(certificates.authority)])
        let trusting = CurlSession(configuration: .ephemeral, options: options).webSocket(with: url)
        trusting.resume()
        try await trusting.send(.string("secret"))
        #expect(try await trusting.receive() == .string("secret"))
        trusting.cancel(with: .normalClosure)
        await trusting.waitForEnd()
        let distrusting = session.webSocket(with: url)
        distrusting.resume()
        let error = await #expect(throws: URLError.self) { try await distrusting.receive() }
        #expect(error?.code == .serverCertificateHasUnknownRoot)
    }

    @Test(
        "A session without HTTP/1.1 opens no socket, and says why",
        arguments: [HTTPVersions.http2, .http2PriorKnowledge]
    )
    func withoutHTTP1(_ versions: HTTPVersions) async throws {
        var options = CurlSession.Options()
        options.httpVersions = versions
        let session = CurlSession(configuration: .ephemeral, options: options)
        let task = session.webSocket(with: try WebSocketPeer.shared().url("echo"))
        task.resume()
        let error = await #expect(throws: URLError.self) { try await task.receive() }
        #expect(error?.code == .cannotConnectToHost)
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(cause?.code == .httpVersionUnsupported)
        #expect(cause?.message.contains("WebSocket") == true)
    }

    @Test("Invalidating the session ends its sockets")
    func invalidation() async throws {
        let session = CurlSession(configuration: .ephemeral)
        let task = session.webSocket(with: try WebSocketPeer.shared().url("echo"))
        task.resume()
        try await task.ping()
        session.invalidateAndCancel()
        await #expect(throws: (any Error).self) { try await task.receive() }
        await task.waitForEnd()
    }
}
