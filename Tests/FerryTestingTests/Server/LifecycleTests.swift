import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct LifecycleTests {
    @Test("A server can listen on IPv6") func ipv6() throws {
        let server = try LoopbackServer(host: "::1")
        #expect(server.url.absoluteString == "http://[::1]:\(server.port)/")
        #expect(try RawClient(server, ipv6: true).exchange("GET", "/echo").status == 200)
        #expect(server.requests.first?.remotePort ?? 0 > 0)
    }

    @Test("Hosts that are not addresses are refused", arguments: ["", "localhost", "127.0.0.1:80", "300.1.1.1"])
    func invalidHost(host: String) {
        #expect(throws: LoopbackServerError.invalidHost(host)) { try LoopbackServer(host: host) }
    }

    @Test("Addresses of other machines are refused") func foreignHost() {
        #expect(throws: LoopbackServerError.system(call: "bind", code: EADDRNOTAVAIL)) {
            try LoopbackServer(host: "192.0.2.1")
        }
    }

    @Test("URLs are made from targets, also with other host names") func urls() throws {
        let server = try LoopbackServer()
        let root = "http://127.0.0.1:\(server.port)"
        #expect(server.url.absoluteString == root + "/")
        #expect(server.url("/echo?x=1").absoluteString == root + "/echo?x=1")
        #expect(server.url("echo").absoluteString == root + "/echo")
        #expect(server.url("/a", host: "localhost").absoluteString == "http://localhost:\(server.port)/a")
    }

    @Test("Releasing a server stops it") func release() throws {
        var server: LoopbackServer? = try LoopbackServer()
        let client = try RawClient(try #require(server))
        let port = try #require(server).port
        #expect(try client.exchange("GET", "/echo").status == 200)
        server = nil
        #expect(try client.receive().isEmpty)
        let other = try LoopbackServer()
        #expect(other.port != port || other.connectionCount == 0)
    }

    @Test("A stopped server releases its handler, even one that retains the server") func cycle() throws {
        final class Holder: Sendable {}
        weak var released: Holder?
        do {
            let holder = Holder()
            released = holder
            let server = try LoopbackServer { _ in
                _ = holder
                return .text("x")
            }
            #expect(try RawClient(server).exchange("GET", "/").text == "x")
            server.stop()
        }
        #expect(released == nil)
    }

    @Test("A stopped server releases its handler without a lock, so that a deinit may use the server")
    func releaseWithoutLock() throws {
        final class Holder: @unchecked Sendable {
            // Written once before the server is stopped.
            weak var server: LoopbackServer?

            deinit { server?.stop() }
        }
        weak var released: Holder?
        let server: LoopbackServer
        do {
            let holder = Holder()
            released = holder
            server = try LoopbackServer { _ in .text("\(holder.server == nil)") }
            holder.server = server
        }
        #expect(released != nil)
        server.stop()
        #expect(released == nil)
    }

    @Test("A handler may stop its server") func stopFromHandler() async throws {
        final class Box: @unchecked Sendable {
            // Written once before the first request.
            var server: LoopbackServer?
        }
        let box = Box()
        let server = try LoopbackServer { _ in
            box.server?.stop()
            return .text("x")
        }
        box.server = server
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(client.receiveAll().data.isEmpty)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        box.server = nil
    }

    @Test("Stopping does not wait for clients that do not read") func unreadResponse() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.sendBufferSize = 16384
        let server = try LoopbackServer(configuration: configuration) { request in
            request.path == "/closing" ? .pattern(count: 6_500_000).closing() : .pattern(count: 500_000_000)
        }
        let clients = try (0..<2).map { _ in try RawClient(server) }
        try clients[0].request("GET", "/closing")
        try clients[1].request("GET", "/")
        try await server.waitForRequests(2, timeout: 40 * patience)
        // No event announces that the server is blocked while it sends: it gets a moment to fill the buffers.
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        server.stop()
        #expect(ContinuousClock.now - start < .seconds(10 * patience))
        #expect(server.openConnectionCount == 0)
    }

    @Test("A client that is still sending when the server stops is not blocked by a closed receive window")
    func stopDuringUpload() throws {
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = 32768
        configuration.bodyReading = { _ in .delayed(60) }
        let server = try LoopbackServer(configuration: configuration)
        let client = try RawClient(server)
        Thread.detachNewThread {
            // No event announces that the client is blocked while it sends.
            usleep(300_000)
            server.stop()
        }
        let failure = #expect(throws: RawClient.Failure.self) {
            try client.request("POST", "/", body: Data(count: 40_000_000))
        }
        // A blocked client would fail with EAGAIN after its own timeout of 20 seconds.
        #expect(failure?.code == ECONNRESET || failure?.code == EPIPE)
    }

    @Test("Recorded requests can be waited for and cleared") func recordings() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.request("GET", "/echo")
        try await server.waitForRequests(1, timeout: 40 * patience)
        await #expect(throws: LoopbackServerError.self) { try await server.waitForRequests(2, timeout: 0.05) }
        server.reset()
        #expect(server.requests.isEmpty)
        #expect(server.requestCount == 0)
        #expect(server.connectionCount == 1)
        #expect(server.receivedByteCount > 0)
    }

    @Test("When waiting times out, the error names the last requests that were refused")
    func refusedWait() async throws {
        let server = try LoopbackServer()
        for line in [" ", "GET /", "G(T / HTTP/1.1", "GET / HTTQ/1.1"] {
            let client = try RawClient(server)
            try client.send(line + "\r\n\r\n")
            #expect(try client.response().status == 400)
        }
        let error = await #expect(throws: LoopbackServerError.self) { try await server.waitForRequests(1, timeout: 0) }
        let refused = ["malformed request line", "malformed method", "malformed version"].map { "; refused: \($0)" }
        #expect(error?.description.hasSuffix(refused.joined() + ".") == true, "\(error as Any)")
    }

    @Test("Waiting ends when the task is cancelled") func cancelledWait() async throws {
        let server = try LoopbackServer()
        let task = Task { try await server.waitForRequests(1, timeout: 1000) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Errors say what failed") func errors() {
        #expect("\(LoopbackServerError.invalidHost("x"))" == "“x” is not a numeric IP address.")
        #expect("\(LoopbackServerError.system(call: "bind", code: EACCES))" == "bind failed: Permission denied.")
        #expect("\(LoopbackServerError.timedOut("nothing came"))" == "Timed out: nothing came.")
    }
}
