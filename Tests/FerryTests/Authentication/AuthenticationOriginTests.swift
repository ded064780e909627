import Ferry
import FerryAPI
import Foundation
import Testing

@Suite("Origins of credentials", .timeLimit(.minutes(5)))
struct AuthenticationOriginTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// Interceptors that send a credential to the origins of some URLs.
    private func interceptors(_ origins: [URL]?) -> [any ImmediateRequestInterceptor] {
        [
            TokenIssuer().interceptor { $0.origins = origins },
            APIKeyInterceptor("secret", in: .header("Authorization"), origins: origins),
            APIKeyInterceptor("secret", in: .query("key"), origins: origins),
        ]
    }

    /// Returns the number of interceptors that change a request, in both ways of asking them.
    private func changes(_ task: InterceptedTask, origins: [URL]? = nil) async throws -> Int {
        var count = 0
        for interceptor in interceptors(origins) {
            let first = try #require(try interceptor.adaptImmediately(task.request, for: task.attempt()))
            let second = try await interceptor.adapt(task.request, for: task.attempt())
            #expect(first.url == second.url)
            #expect(first.allHTTPHeaderFields == second.allHTTPHeaderFields)
            if first.url != task.url || first.value(forHTTPHeaderField: "Authorization") != nil { count += 1 }
        }
        return count
    }

    @Test("By default, a credential is sent to the origin of the original URL")
    func original() async throws {
        var task = InterceptedTask("https://api.example.com/a")
        #expect(try await changes(task) == 3)
        for same in ["https://api.example.com/b?c", "https://API.example.com:443/"] {
            task.url = try url(same)
            #expect(try await changes(task) == 3, "\(same)")
        }
    }

    @Test(
        "A credential is not sent to another origin, even if an interceptor has changed the URL",
        arguments: [
            "http://api.example.com/a", "https://api.example.com:8443/a", "https://example.com/a",
            "https://evil.example/a", "https://api.example.com@evil.example/a", "https://api.example.com.evil.example/",
            "https://api.example.com./a",
        ]
    )
    func other(target: String) async throws {
        var task = InterceptedTask("https://api.example.com/a")
        task.url = try url(target)
        #expect(try await changes(task) == 0)
        #expect(try await changes(task, origins: [task.original]) == 0)
        #expect(await task.decision(TokenIssuer().interceptor(), token: "old").name == "proceed")
    }

    @Test("After a redirect to another origin, a credential is neither sent nor refreshed")
    func redirected() async throws {
        let other = try url("https://other.example/")
        for target in ["https://other.example/", "https://api.example.com/back"] {
            var task = InterceptedTask("https://api.example.com/a")
            task.url = try url(target)
            task.hasLeftOrigin = true
            #expect(try await changes(task) == 0)
            #expect(try await changes(task, origins: [task.original, other]) == 0)
            let issuer = TokenIssuer()
            let interceptor = issuer.interceptor { $0.origins = [task.original, other] }
            #expect(await task.decision(interceptor, token: "old").name == "proceed")
            // The request does not wait for a token that it would not get.
            let waiting = issuer.interceptor(initial: nil)
            #expect(try waiting.adaptImmediately(task.request, for: task.attempt()) != nil)
            #expect(issuer.count == 0)
        }
    }

    @Test("With given origins, a credential is sent to them only")
    func given() async throws {
        let origins = [try url("https://api.example.com/v1"), try url("https://files.example.com")]
        #expect(try await changes(InterceptedTask("https://api.example.com/v2"), origins: origins) == 3)
        #expect(try await changes(InterceptedTask("https://files.example.com:443/a"), origins: origins) == 3)
        #expect(try await changes(InterceptedTask("https://example.com/"), origins: origins) == 0)
        #expect(try await changes(InterceptedTask("http://api.example.com/"), origins: origins) == 0)
        #expect(try await changes(InterceptedTask("https://api.example.com/"), origins: []) == 0)
    }

    @Test("Without an original URL, or without a URL, nothing is sent")
    func withoutURL() async throws {
        let task = InterceptedTask()
        let attempt = RequestAttempt(originalURL: nil)
        var empty = task.request
        empty.url = nil
        for interceptor in interceptors(nil) {
            let request = try #require(try interceptor.adaptImmediately(task.request, for: attempt))
            #expect(request.url == task.url)
            #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
            #expect(try interceptor.adaptImmediately(empty, for: task.attempt())?.url == nil)
        }
    }
}
