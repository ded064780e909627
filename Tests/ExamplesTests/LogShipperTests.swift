import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Examples

@Suite("Example: log shipper", .timeLimit(.minutes(2)), .ownThreads)
struct LogShipperTests {
    @Test("Lines arrive compressed, in one request")
    func lines() async throws {
        // Sends the lines back as they came.
        let server = try LoopbackServer { request in
            LoopbackResponse(
                headers: ["Content-Type": "text/plain", "Content-Encoding": request.header("Content-Encoding") ?? ""],
                body: .data(request.body)
            )
        }
        let shipper = LogShipper(baseURL: server.url)
        for number in 1...1_000 { try await shipper.log("line \(number)") }
        try await shipper.finish()
        let expected = (1...1_000).map { "line \($0)\n" }.joined()
        #expect(await shipper.receipts == [expected])
        let request = try #require(server.requests.first)
        #expect(server.requestCount == 1 && request.isChunked)
        #expect(request.header("Content-Encoding") == "gzip")
    }

    @Test("A collector that responds before the end gets the next lines in another request")
    func rotation() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { request in
            request.connectionID == 1 ? .early(.text("restarting"), afterBytes: 20) : .whole
        }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("stored") }
        let shipper = LogShipper(baseURL: server.url)
        while server.connectionCount < 2 {
            try await shipper.log("a line")
            try await Task.sleep(for: .milliseconds(1))
        }
        try await shipper.finish()
        #expect(await shipper.receipts == ["restarting", "stored"])
    }
}
