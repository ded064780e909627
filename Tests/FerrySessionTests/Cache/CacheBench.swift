import FerryTesting
import Testing

@testable import FerrySession

/// A server whose responses the test decides, and a session with its own cache.
struct CacheBench: Sendable {
    /// The response to one request.
    struct Answer: Sendable {
        var data: Data
        var response: HTTPURLResponse

        var text: String { String(decoding: data, as: UTF8.self) }
        var status: Int { response.statusCode }
        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
    }

    /// Returns the response to a request; requests are numbered from one.
    typealias Script = @Sendable (_ request: LoopbackRequest, _ number: Int) -> LoopbackResponse

    let server: LoopbackServer
    let cache: HTTPCache
    let session: CurlSession

    init(
        cache: HTTPCache = HTTPCache(),
        delegate: (any URLSessionDelegate)? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        connections: Int = 6,
        _ script: @escaping Script
    ) throws {
        let count = Watched(0)
        server = try LoopbackServer { request in
            let number = count.change { count -> Int in
                count += 1
                return count
            }
            return script(request, number)
        }
        self.cache = cache
        session = Self.session(cache, delegate) { configuration in
            configuration.requestCachePolicy = policy
            configuration.httpMaximumConnectionsPerHost = connections
        }
    }

    /// Creates a server with the same fields for every request, and a body that counts the requests.
    init(cache: HTTPCache = HTTPCache(), _ fields: [String: String], status: Int = 200) throws {
        try self.init(cache: cache) { _, number in
            var response = LoopbackResponse.text("\(number)", statusCode: status)
            for (name, value) in fields { response.headers.add(name, value) }
            return response
        }
    }

    static func session(
        _ cache: HTTPCache?,
        _ delegate: (any URLSessionDelegate)? = nil,
        _ configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.cache = cache
        return makeSession(delegate, options: options) { configuration in
            configuration.urlCache = nil
            configure(configuration)
        }
    }

    func request(
        _ target: String = "/",
        _ headers: [String: String] = [:],
        method: String = "GET",
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> URLRequest {
        var request = URLRequest(url: server.url(target), cachePolicy: policy)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        return request
    }

    func fetch(
        _ target: String = "/",
        _ headers: [String: String] = [:],
        method: String = "GET",
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> Answer {
        let request = request(target, headers, method: method, policy: policy)
        let (data, response) = try await session.data(for: request)
        return Answer(data: data, response: try #require(response as? HTTPURLResponse))
    }

    /// Returns the error of a request that must fail.
    func failure(
        _ target: String = "/",
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async -> URLError.Code? {
        do {
            _ = try await fetch(target, policy: policy)
            return nil
        } catch {
            return (error as? URLError)?.code
        }
    }

    var count: Int { server.requestCount }

    func lastHeader(_ name: String) -> String? { server.requests.last?.header(name) }
}
