import Foundation
import Testing

@testable import FerrySession

@Suite("Proxy table")
struct ProxyTableTests {
    private func route(
        _ dictionary: [AnyHashable: Any]?,
        _ url: String,
        _ proxy: CurlSession.Proxy = .environment
    )
        throws -> String
    {
        let origin = Origin(try #require(URL(string: url)))
        switch try ProxyTable(proxy, dictionary: dictionary).route(to: origin) {
        case .environment: return "environment"
        case .direct: return "direct"
        case .server(let server):
            return server.address + (server.user.map { " \($0):\(server.password ?? "")" } ?? "")
        }
    }

    @Test("A dictionary has a proxy for each scheme, and SOCKS for the rest")
    func schemes() throws {
        let both: [AnyHashable: Any] = [
            "HTTPEnable": 1, "HTTPProxy": "one", "HTTPPort": 3128,
            "HTTPSEnable": true, "HTTPSProxy": "two", "HTTPSPort": "3129",
        ]
        #expect(try route(both, "http://x") == "http://one:3128")
        #expect(try route(both, "https://x") == "http://two:3129")
        let socks: [AnyHashable: Any] = [
            "HTTPEnable": 1, "HTTPProxy": "one",
            "SOCKSEnable": NSNumber(value: 1), "SOCKSProxy": "::1", "SOCKSPort": NSNumber(value: 9050),
            "SOCKSUser": "ada", "SOCKSPassword": "secret",
        ]
        #expect(try route(socks, "http://x") == "http://one:80")
        #expect(try route(socks, "https://x") == "socks5h://[::1]:9050 ada:secret")
    }

    @Test("The names of CFNetwork's constants are keys too")
    func names() throws {
        let dictionary: [AnyHashable: Any] = [
            "kCFNetworkProxiesHTTPEnable": 1, "kCFNetworkProxiesHTTPProxy": "one", "kCFNetworkProxiesHTTPPort": 8080,
            "kCFNetworkProxiesExceptionsList": ["*.local"], "kCFNetworkProxiesExcludeSimpleHostnames": 1,
            "kCFProxyUsernameKey": "ada", "kCFProxyPasswordKey": "secret",
        ]
        #expect(try route(dictionary, "http://x.y") == "http://one:8080 ada:secret")
        #expect(try route(dictionary, "http://printer.local") == "direct")
        #expect(try route(dictionary, "http://intranet") == "direct")
        let socks: [AnyHashable: Any] = [
            "SOCKSEnable": 1, "SOCKSProxy": "one",
            "kCFStreamPropertySOCKSUser": "ada", "kCFStreamPropertySOCKSPassword": "secret",
        ]
        #expect(try route(socks, "http://x.y") == "socks5h://one:1080 ada:secret")
    }

    @Test("A dictionary without an enabled proxy means no proxy, and the environment is not used")
    func off() throws {
        #expect(try route([:], "http://x") == "direct")
        #expect(try route(["HTTPEnable": 0, "HTTPProxy": "one"], "http://x") == "direct")
        #expect(try route(["HTTPProxy": "one", "HTTPPort": 1], "http://x") == "direct")
        #expect(try route(["HTTPEnable": "no", "HTTPProxy": "one"], "http://x") == "direct")
        #expect(try route(nil, "http://x") == "environment")
    }

    @Test("An option overrides a dictionary")
    func option() throws {
        let dictionary: [AnyHashable: Any] = ["HTTPEnable": 1, "HTTPProxy": "one"]
        #expect(try route(dictionary, "http://x", .none) == "direct")
        #expect(try route(dictionary, "https://x", .https("two", port: 444)) == "https://two:444")
        var proxy = CurlSession.Proxy.socks5("three", port: 1080, except: ["*.internal"])
        #expect(try route(dictionary, "http://a.internal", proxy) == "direct")
        #expect(try route(dictionary, "http://intranet", proxy) == "socks5://three:1080")
        proxy.excludesSimpleHostNames = true
        #expect(try route(dictionary, "http://intranet", proxy) == "direct")
    }

    @Test(
        "An invalid proxy is a typed error",
        arguments: [
            ["HTTPEnable": 1], ["HTTPEnable": 1, "HTTPProxy": ""], ["HTTPEnable": 1, "HTTPProxy": "a b"],
            ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1\0.a.test"],
            ["HTTPEnable": 1, "HTTPProxy": "a", "HTTPPort": 0],
            ["HTTPEnable": 1, "HTTPProxy": "a", "HTTPPort": 70_000],
            ["HTTPEnable": 1, "HTTPProxy": "a", "HTTPPort": "x"], ["HTTPEnable": 1, "HTTPProxy": "http://a/"],
            ["ProxyAutoConfigEnable": 1],
        ] as [[String: any Sendable]]
    )
    func invalid(_ dictionary: [String: any Sendable]) {
        let error = #expect(throws: CurlSessionError.self) {
            try ProxyTable(.environment, dictionary: dictionary as [AnyHashable: Any])
        }
        #expect(error?.code == .invalidProxy)
    }

    @Test("A proxy can be created from a URL, and its description has no password")
    func fromURL() throws {
        let url = try #require(URL(string: "socks5h://ada:s%40cret@[::1]:9050"))
        let proxy = try CurlSession.Proxy(url)
        #expect(proxy.description == "socks5h://[::1]:9050")
        #expect(try route(nil, "http://x", proxy) == "socks5h://[::1]:9050 ada:s@cret")
        #expect(try CurlSession.Proxy(try #require(URL(string: "https://p"))).description == "https://p:443")
        let ftp = try #require(URL(string: "ftp://p"))
        #expect(throws: CurlSessionError.self) { try CurlSession.Proxy(ftp) }
    }

    @Test("The environment's proxy is read from the variables that libcurl uses")
    func environment() throws {
        func name(_ url: String, _ variables: [String: String]) throws -> String? {
            EnvironmentProxy.value(for: Origin(try #require(URL(string: url)))) { variables[$0] }
                .flatMap(EnvironmentProxy.server)?.address
        }
        #expect(try name("http://x", ["http_proxy": "p:1"]) == "http://p:1")
        #expect(try name("http://x", ["HTTP_PROXY": "http://p:1"]) == nil)
        #expect(try name("https://x", ["HTTPS_PROXY": "http://p:1"]) == "http://p:1")
        #expect(try name("https://x", ["http_proxy": "http://p:1", "ALL_PROXY": "socks5://q:2"]) == "socks5://q:2")
        #expect(try name("https://x", ["https_proxy": "", "all_proxy": "r:3"]) == "http://r:3")
        for slashes in ["/", "//", "///"] {
            #expect(try name("https://x", ["https_proxy": "https:\(slashes)p:4"]) == "https://p:4")
        }
    }

    @Test("A host is looked up unless a proxy, a socket or addresses are used, or its name is that of this machine")
    func lookedUpHosts() throws {
        func looksUp(_ url: String, _ change: (inout CurlSession.Options) -> Void) throws -> Bool {
            var options = CurlSession.Options()
            options.proxy = .none
            change(&options)
            let origin = Origin(try #require(URL(string: url)))
            return EngineSettings(CurlSessionSettings(.ephemeral, options: options)).looksUpHost(of: origin)
        }
        let url = "http://a.example:81/"
        #expect(try looksUp(url) { _ in })
        #expect(try !looksUp("http://app.localhost/") { _ in })
        #expect(try !looksUp(url) { $0.proxy = .http("p.example", port: 3128) })
        #expect(try looksUp(url) { $0.proxy = .http("p.example", port: 3128, except: ["*.example"]) })
        #expect(try !looksUp(url) { $0.network.unixSocket = .path("/run/socket") })
        #expect(try !looksUp(url) { $0.network.unixSockets = ["A.example": .path("/run/socket")] })
        #expect(try looksUp(url) { $0.network.unixSockets = ["b.example": .path("/run/socket")] })
        #expect(try !looksUp(url) { $0.network.addresses = ["a.example:81": ["192.0.2.7"]] })
        #expect(try looksUp(url) { $0.network.addresses = ["a.example:82": ["192.0.2.7"]] })
    }
}
