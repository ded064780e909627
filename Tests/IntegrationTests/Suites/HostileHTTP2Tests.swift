import Ferry
import TestSupport
import Testing

extension NginxTests {
    /// Connections that violate HTTP/2, and the requests that follow (RFC 9113, section 5.4).
    @Suite(
        "Hostile HTTP/2",
        .serialized,
        .takesTurns,
        .slow,
        .enabled(if: PythonServer.isWanted, "python3 is not installed: apt-get install python3")
    )
    struct HostileHTTP2Tests {
        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        @Test(
            "After a faulty connection the next request uses another one",
            arguments: RawHTTP2Peer.Manner.allCases.filter { !$0.isEndless }
        )
        func next(_ manner: RawHTTP2Peer.Manner) async throws {
            let certificates = server.certificates
            let peer = try RawHTTP2Peer(
                manner,
                certificate: certificates.certificate(.good),
                key: certificates.key(.good)
            )
            let session = CurlSession.trusting(server)
            var request = URLRequest(url: peer.url)
            request.timeoutInterval = manner == .stall ? 3 : 40
            let first = request
            // RFC 9113, sections 6.8, 7 and 8.7: libcurl itself repeats a request that was not processed.
            if manner.isAnswered {
                #expect(try await session.fetch(first).0 == Data("ok".utf8))
            } else {
                let error = await #expect(throws: URLError.self) { try await session.fetch(first) }
                #expect((error?.code == .timedOut) == (manner == .stall), "\(String(describing: error))")
            }
            for _ in 0..<5 {
                let (data, response) = try await session.fetch(peer.url)
                #expect(response.statusCode == 200)
                #expect(data == Data("ok".utf8))
            }
        }

        @Test("A faulty connection delays no request to another server", arguments: RawHTTP2Peer.Manner.allCases)
        func bystander(_ manner: RawHTTP2Peer.Manner) async throws {
            let certificates = server.certificates
            let peer = try RawHTTP2Peer(
                manner,
                certificate: certificates.certificate(.good),
                key: certificates.key(.good)
            )
            let session = CurlSession.trusting(server)
            var request = URLRequest(url: peer.url)
            request.timeoutInterval = 30
            let doomed = request
            let bad = Task { _ = try? await session.fetch(doomed) }
            let meter = StallMeter()
            for _ in 0..<50 {
                var (time, bound) = (Double.infinity, 0.0)
                // One of the threads may be late nevertheless.
                for _ in 0..<3 where time >= bound {
                    let start = ContinuousClock.now
                    _ = try await session.fetch(server.url(.plain, "small"))
                    time = start.duration(to: .now) / .seconds(1)
                    bound = meter.bound(1)
                }
                #expect(time < bound)
            }
            bad.cancel()
            await bad.value
        }
    }
}
