import FerryTesting
import Foundation
import Testing

@testable import FerrySession

@Suite(.timeLimit(.minutes(5)))
struct SentFieldsTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func session(_ change: (inout CurlSession.Options) -> Void) -> CurlSession {
        var options = CurlSession.Options()
        change(&options)
        return CurlSession(configuration: .ephemeral, options: options)
    }

    @Test("Fields that the session adds by itself can be left out, and a request can still set them")
    func omitted() async throws {
        let session = session { $0.omittedHeaders = ["Accept", "USER-AGENT", "Accept-Encoding", "content-type"] }
        defer { session.invalidateAndCancel() }
        let names = ["Accept", "User-Agent", "Accept-Encoding", "Content-Type"]
        _ = try await session.data(from: server.url("/echo"))
        #expect(names.allSatisfy { server.requests.last?.header($0) == nil })
        var request = URLRequest(url: server.url("/echo"))
        request.httpMethod = "POST"
        request.httpBody = Data("a=b".utf8)
        _ = try await session.data(for: request)
        #expect(server.requests.last?.body == Data("a=b".utf8))
        #expect(names.allSatisfy { server.requests.last?.header($0) == nil })
        for name in names { request.setValue("text/x", forHTTPHeaderField: name) }
        _ = try await session.data(for: request)
        #expect(names.allSatisfy { server.requests.last?.header($0) == "text/x" })
    }

    @Test("An upload at a low rate does not time out") func lowRate() async throws {
        // If the body were one piece, a wait of 8 seconds would follow it, during which the response is not read.
        let session = session { $0.uploadLimit = BandwidthLimit(bytesPerSecond: 500) }
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url("/upload"), timeoutInterval: 5)
        request.httpMethod = "POST"
        _ = try await session.upload(for: request, from: LoopbackServer.pattern(count: 4_000))
        #expect(server.requests.last?.bodySHA256 == LoopbackServer.patternSHA256(count: 4_000))
    }

    @Test("A rate limits an upload, whose bytes are complete")
    func rate() async throws {
        let session = session { $0.uploadLimit = BandwidthLimit(bytesPerSecond: 1_000_000) }
        defer { session.invalidateAndCancel() }
        let size = 3_000_000
        // The upload takes nearly 3 seconds at this rate, and a few milliseconds without it.
        let least = Duration.milliseconds(400)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let elapsed = try await ContinuousClock().measure {
            _ = try await session.upload(for: request, from: LoopbackServer.pattern(count: size))
        }
        #expect(elapsed > least)
        #expect(server.requests.last?.bodySHA256 == LoopbackServer.patternSHA256(count: size))
    }
}
