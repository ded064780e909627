import FerrySession
import Foundation

extension CurlSession {
    /// Returns a session with interceptors that repeats failed requests after a short time.
    static func signing(with interceptors: [any RequestInterceptor]) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = interceptors
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0.01)
        return CurlSession(configuration: .ephemeral, options: options)
    }
}

extension URLRequest {
    /// Makes a request with a method and header fields.
    init(_ url: URL, _ method: String, _ fields: [String: String] = [:]) {
        self.init(url: url)
        httpMethod = method
        allHTTPHeaderFields = fields
    }
}
