import Ferry
import FerryTesting
import TestSupport
import Testing

/// The public suite of https://cache-tests.fyi, with its own server and its own engine.
///
/// Its engine abandons a request after ten seconds, so the suite should run without other tests.
@Suite("cache-tests", .publicSuite(.cacheTests), .ownThreads, .timeLimit(.minutes(10)))
struct CacheSuiteTests {
    private struct Request: Decodable {
        var url: URL
        var method: String
        var headers: [[String]]
        var body: String?
        /// The cache mode of `fetch`.
        var cache: String?

        var policy: URLRequest.CachePolicy {
            switch cache {
            case "no-store", "reload": .reloadIgnoringLocalCacheData
            case "no-cache": .reloadRevalidatingCacheData
            case "force-cache": .returnCacheDataElseLoad
            case "only-if-cached": .returnCacheDataDontLoad
            default: .useProtocolCachePolicy
            }
        }
    }

    private struct Response: Encodable {
        var error: String?
        var status = 0
        var headers: [[String]] = []
        var body = ""
    }

    private struct Result: Decodable {
        var id: String
        var kind: String
        var result: String
        var message: String
    }

    /// Makes a request that the engine requested.
    private static func load(_ data: Data, _ session: CurlSession) throws -> Data {
        let wanted = try JSONDecoder().decode(Request.self, from: data)
        var request = URLRequest(url: wanted.url, cachePolicy: wanted.policy)
        request.httpMethod = wanted.method
        request.httpBody = wanted.body.map { Data($0.utf8) }
        for field in wanted.headers where field.count == 2 {
            request.addValue(field[1], forHTTPHeaderField: field[0])
        }
        let answer = Mutex(Response())
        let isDone = DispatchSemaphore(value: 0)
        session.dataTask(with: request) { data, response, error in
            answer.withLock { answer in
                answer.error = error.map { "\($0)" }
                answer.body = String(decoding: data ?? Data(), as: UTF8.self)
                guard let response = response as? HTTPURLResponse else { return }
                answer.status = response.statusCode
                answer.headers = response.allHeaderFields.map { ["\($0.key.base)", "\($0.value)"] }
            }
            isDone.signal()
        }.resume()
        isDone.wait()
        return try JSONEncoder().encode(answer.withLock { $0 })
    }

    /// Required tests that a URLSession does not pass, with the reasons.
    private static let known: Set<String> = [
        // These tests expect a response, as from a gateway, instead of the error of a lost connection.
        "stale-close-must-revalidate", "stale-close-no-cache",
        // A message with an unknown transfer coding cannot be read (RFC 9112, section 6.1).
        "headers-store-Transfer-Encoding",
    ]

    @Test("All required tests pass but those for gateways and for unknown transfer codings")
    func suite() throws {
        let folder = try #require(PublicSuite.cacheTests.folder)
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        var options = CurlSession.Options()
        options.cache = HTTPCache(memoryCapacity: 100_000_000)
        let session = CurlSession(configuration: configuration, options: options)
        let client = try LoopbackServer { request in
            guard let data = try? Self.load(request.body, session) else { return .status(500) }
            return LoopbackResponse(statusCode: 200, headers: ["Content-Type": "application/json"], body: .data(data))
        }
        let reserved = try ReservedPorts(1)
        let port = reserved.ports[0]
        let server = try Subprocess(
            "env",
            [
                "npm_config_protocol=http", "npm_config_port=\(port)",
                "npm_config_pidfile=\(scratch.appendingPathComponent("pid").path)",
                "node", folder.appendingPathComponent("test-engine/server/server.mjs").path,
            ],
            output: scratch.appendingPathComponent("server.txt")
        )
        defer { server.terminate() }
        // The server does not announce that it is ready.
        let deadline = ContinuousClock.now + .seconds(20)
        while !reserved.areAnswered, ContinuousClock.now < deadline { usleep(20_000) }
        let script = scratch.appendingPathComponent("run.mjs")
        try Data(cacheTestsScript.utf8).write(to: script)
        let only = ProcessInfo.processInfo.environment["FERRY_CACHE_TEST"].map { [$0] } ?? []
        let output = try Subprocess.output(
            of: "node",
            [script.path, folder.path, "http://127.0.0.1:\(port)", client.url.absoluteString] + only,
            within: 500
        )
        let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("[") })
        let results = try JSONDecoder().decode([Result].self, from: Data(line.utf8))
        for kind in ["required", "optimal"] {
            let ofKind = results.filter { $0.kind == kind }
            let passed = ofKind.count { $0.result == "pass" }
            print("cache-tests: \(passed) of \(ofKind.count) \(kind)")
            for result in ofKind where result.result != "pass" {
                print("    \(result.id): \(result.result), \(result.message)")
            }
        }
        let failed = results.filter { $0.kind == "required" && $0.result != "pass" }.map(\.id)
        #expect(!results.isEmpty)
        #expect(Set(failed).subtracting(Self.known).isEmpty)
    }
}
