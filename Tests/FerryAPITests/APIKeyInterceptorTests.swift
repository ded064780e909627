import FerryAPI
import Foundation
import Testing

@Suite("API keys")
struct APIKeyInterceptorTests {
    private func sent(_ interceptor: APIKeyInterceptor, _ text: String) throws -> URLRequest {
        let task = InterceptedTask(text)
        return try #require(try interceptor.adaptImmediately(task.request, for: task.attempt()))
    }

    @Test("A key is added as a header field, in place of another value")
    func header() throws {
        let interceptor = APIKeyInterceptor("a key", in: .header("X-API-Key"))
        let task = InterceptedTask()
        var request = task.request
        request.setValue("old", forHTTPHeaderField: "x-api-key")
        let sent = try #require(try interceptor.adaptImmediately(request, for: task.attempt()))
        #expect(sent.value(forHTTPHeaderField: "X-API-Key") == "a key")
        #expect(sent.allHTTPHeaderFields?.count == 1)
        #expect(interceptor.failureStatusCodes.isEmpty)
    }

    @Test(
        "A key is added to the query, in place of another one, and nothing else is changed",
        arguments: [
            ("https://a.example/", "https://a.example/?key=k%26%20%2B"),
            ("https://a.example?", "https://a.example?key=k%26%20%2B"),
            ("https://a.example/b?c=%2F+d&e", "https://a.example/b?c=%2F+d&e&key=k%26%20%2B"),
            ("https://a.example/b?key=old&c&k%65y=x&keys=1#f?g", "https://a.example/b?c&keys=1&key=k%26%20%2B#f?g"),
            ("https://a.example/b?key#f", "https://a.example/b?key=k%26%20%2B#f"),
            ("https://a.example/b?key=d?e&f", "https://a.example/b?f&key=k%26%20%2B"),
            ("https://a.example/#f", "https://a.example/?key=k%26%20%2B#f"),
        ]
    )
    func query(text: String, expected: String) throws {
        let interceptor = APIKeyInterceptor("k& +", in: .query("key"))
        let first = try sent(interceptor, text)
        #expect(first.url?.absoluteString == expected)
        // Added again, for example after a redirect that repeats the query, it is still there once.
        #expect(try sent(interceptor, expected).url?.absoluteString == expected)
    }

    @Test("A name of the query is encoded too")
    func name() throws {
        let request = try sent(APIKeyInterceptor("1", in: .query("ä&")), "https://a.example/?%C3%A4%26=2")
        #expect(request.url?.absoluteString == "https://a.example/?%C3%A4%26=1")
    }

    @Test("A field that cannot be sent is an error that does not contain the key")
    func invalid() throws {
        for interceptor in [
            APIKeyInterceptor(SecretScan.password + "\n", in: .header("X-Key")),
            APIKeyInterceptor(SecretScan.password, in: .header("X Key")),
        ] {
            let error = #expect(throws: RequestSerializationError.self) { try sent(interceptor, "https://a.example/") }
            #expect(SecretScan.findings(in: try #require(error)) == [])
        }
    }

    @Test("Descriptions do not contain the key")
    func descriptions() {
        for placement in [APIKeyInterceptor.Placement.header("X-Key"), .query("key")] {
            let interceptor = APIKeyInterceptor(SecretScan.password, in: placement)
            #expect(SecretScan.findings(in: interceptor) == [])
            var text = ""
            dump(interceptor, to: &text)
            #expect(!text.contains(SecretScan.password))
        }
        #expect("\(APIKeyInterceptor("k", in: .query("key")))" == "an API key in the query item key")
    }
}
