import FerrySession
import FerryTesting
import TestSupport
import Testing

#if compiler(>=6.2)
/// The environment is shared within a process, so these tests run in a separate one.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ProxyEnvironmentTests {
    @Test("http_proxy is used") func obeyed() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in .text("by proxy") }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            let url = try #require(URL(string: "http://origin.invalid/x"))
            let (data, _) = try await Wire.session().data(from: url)
            #expect(data == Data("by proxy".utf8))
            #expect(proxy.requests.map(\.target) == ["http://origin.invalid/x"])
        }
    }

    @Test("A 407 from a host that no_proxy excludes is a response like any other") func exceptedChallenge() async {
        await #expect(processExitsWith: .success) {
            let origin = try LoopbackServer { _ in
                .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"r\""])
            }
            let proxy = try LoopbackServer { _ in .text("by proxy") }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let delegate = CredentialDelegate(password: "secret")
            let (_, response) = try await Wire.session(delegate).data(from: origin.url)
            #expect((response as? HTTPURLResponse)?.statusCode == 407)
            #expect(delegate.count.current == 0)
            #expect(origin.requestCount == 1 && proxy.requestCount == 0)
        }
    }

    @Test("no_proxy excludes hosts, and a proxy in the options takes precedence") func excepted() async {
        await #expect(processExitsWith: .success) {
            let origin = try LoopbackServer { _ in .text("direct") }
            let proxy = try LoopbackServer { _ in .text("by proxy") }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            setenv("no_proxy", "127.0.0.1,.internal.test", 1)
            let (data, _) = try await Wire.session().data(from: origin.url)
            #expect(data == Data("direct".utf8))
            #expect(proxy.requestCount == 0)
            let other = try LoopbackServer { _ in .text("by the other") }
            var options = CurlSession.Options()
            options.proxy = .http("127.0.0.1", port: other.port)
            let url = try #require(URL(string: "http://origin.invalid/x"))
            let (second, _) = try await Wire.session(options: options).data(from: url)
            #expect(second == Data("by the other".utf8))
        }
    }
}
#endif
