import FuzzSupport

@testable import FerryCore
@testable import FerryCurl
@testable import FerrySession

private let bases = [
    "http://a.test/one/two?three#four", "https://a.test/", "https://user:word@b.a.test:8443/x/", "http://127.0.0.1:80/",
    "http://[::1]:8080/y", "http://co.test", "https://xn--bcher-kva.test/Z/",
].compactMap { URL(string: $0) }

/// `Set-Cookie`, and the requests that send the cookie.
let cookie = FuzzTarget("cookie") { input in
    let url = input.choice(bases)
    let other = input.choice(bases)
    let text = input.amplifiedText(to: 60_000)
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let cookie = bounded {
        CookieRule.parse(text, from: url, now: now) { _, domain in CookieRule.hasTwoLabels(domain) }
    }
    guard let cookie else { return }
    expect(!cookie.name.isEmpty || !cookie.value.isEmpty, "a cookie without name and value")
    let isText: (UInt8) -> Bool = { ($0 > 0x1F || $0 == 0x09) && $0 != 0x7F }
    expect((cookie.name + cookie.value).utf8.allSatisfy(isText), "control characters in \(cookie)")
    if let expires = cookie.expiresDate { expect(expires.timeIntervalSince(now) <= 1e12, "expires \(expires)") }
    guard let request = CookieRequest(other) else { return }
    let header = bounded { CookieRule.header(CookieRule.cookies(for: request, from: [cookie, cookie], now: now)) }
    guard let header else { return }
    expect(HeaderRule.isValue(header), "a header of several lines: \(header.debugDescription)")
    expect(!cookie.isSecure || other.scheme == "https", "a secure cookie to \(other)")
    guard let host = url.host(percentEncoded: true), let target = other.host(percentEncoded: true) else { return }
    let isBelow = target == host || target.hasSuffix(".a.test") || target == "a.test"
    expect(isBelow, "a cookie of \(host) to \(target): \(cookie)")
    let shown = cookie.name.isEmpty ? cookie.value : cookie.name
    if shown.lowercased().hasPrefix("__host-") { expect(host == target, "a __Host- cookie to \(target)") }
}

/// `Location` values.
let redirectRule = FuzzTarget("redirect-rule") { input in
    let base = input.choice(bases)
    let status = input.choice([301, 302, 303, 307, 308])
    let allowsDowngrade = input.bool()
    let location = input.amplifiedText(to: 100_000)
    var request = URLRequest(url: base)
    request.httpMethod = input.bool() ? "POST" : "GET"
    request.setValue("secret", forHTTPHeaderField: "Authorization")
    request.setValue("secret", forHTTPHeaderField: "X-Key")
    request.setValue("example", forHTTPHeaderField: "Host")
    let result = bounded {
        RedirectRule.redirect(
            request,
            status: status,
            location: location,
            allowsDowngrade: allowsDowngrade,
            sensitiveHeaders: ["x-key"]
        )
    }
    guard let next = result?.request, let url = next.url else { return }
    let text = url.absoluteString
    expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "bytes that are not allowed in a URL: \(text)")
    let scheme = url.scheme?.lowercased()
    expect(scheme == "http" || scheme == "https", "the scheme \(scheme ?? "")")
    expect(allowsDowngrade || scheme == "https" || base.scheme == "http", "from https to http")
    if Origin(url) == Origin(base) {
        expect(next.value(forHTTPHeaderField: "Host") == "example", "no Host within the origin")
        // Two URLs that the rule considers the same origin must have the same host and port for libcurl.
        if let there = CurlURL.hostAndPort(text), let here = CurlURL.hostAndPort(base.absoluteString) {
            expect(there == here, "libcurl reads \(text) as \(there), and the base as \(here)")
        }
    } else {
        expect(next.value(forHTTPHeaderField: "Host") == nil, "the Host of another origin")
        expect(next.value(forHTTPHeaderField: "Authorization") == nil, "Authorization to \(text)")
        expect(next.value(forHTTPHeaderField: "X-Key") == nil, "X-Key to \(text)")
    }
    expect(RedirectRule.resolve(text, against: base) == url, "\(text) resolves to a different URL the second time")
}

/// libcurl's own URL parser, from the libcurl of this process.
enum CurlURL {
    private typealias Make = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Set = @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UInt32) -> Int32
    private typealias Get =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UInt32
        ) -> Int32
    private typealias FreeText = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let symbol = dlsym(dlopen("libcurl.so.4", RTLD_NOW), name) else { fail("libcurl has no \(name)") }
        return unsafeBitCast(symbol, to: type)
    }

    private static let make = function("curl_url", as: Make.self)
    private static let free = function("curl_url_cleanup", as: Free.self)
    private static let set = function("curl_url_set", as: Set.self)
    private static let get = function("curl_url_get", as: Get.self)
    private static let freeText = function("curl_free", as: FreeText.self)

    /// Returns the host in lower case and the port, by default the scheme's; `nil` if libcurl refuses the URL.
    static func hostAndPort(_ text: String) -> String? {
        let (wholeURL, hostPart, portPart, defaultPort): (Int32, Int32, Int32, UInt32) = (0, 5, 6, 1)
        let handle = make()
        defer { free(handle) }
        guard set(handle, wholeURL, text, 0) == 0 else { return nil }
        let parts = [hostPart, portPart].map { part -> String? in
            var value: UnsafeMutablePointer<CChar>?
            guard get(handle, part, &value, defaultPort) == 0, let value else { return nil }
            defer { freeText(value) }
            return String(cString: value).lowercased()
        }
        guard let host = parts[0], let port = parts[1] else { return nil }
        return "\(host):\(port)"
    }
}

/// Proxies, their exceptions, host tables, and numeric addresses.
let proxyText = FuzzTarget("proxy") { input in
    let host = input.field()
    let pattern = input.field()
    let text = input.amplifiedText(to: 20_000)
    for exception in [pattern, text] { _ = bounded { ProxyException(exception).matches(host: host, port: 80) } }
    if let address = IPAddress(host) {
        expect(IPAddress(address.description) == address, "\(address.bytes) became \(address.description)")
        expect(address.isIn(address.bytes, length: address.bytes.count * 8), "not in its own network")
        expect(host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(host.debugDescription) is an address")
    }
    if let normal = bounded({ (try? URLHost(text))?.name }) {
        expect((try? URLHost(normal))?.name == normal, "not normalized: \(normal)")
    }
    var table = HostTable<Int>()
    if (try? table.add(pattern, 1)) != nil, !pattern.contains("*") {
        expect((try? table.value(for: pattern)) == 1, "\(pattern) is not found under its own name")
    }
    let origin = Origin(scheme: "http", name: "a.test", port: nil)
    let server = bounded {
        EnvironmentProxy.value(for: origin) { $0 == "http_proxy" ? text : nil }.flatMap(EnvironmentProxy.server)
    }
    guard let server, (try? server.validate()) != nil else { return }
    expect((1...65_535).contains(server.port), "the port \(server.port)")
    expect(!server.address.contains("@"), "userinfo in \(server.address)")
    expect(server.host.utf8.allSatisfy { $0 > 0x20 }, "the host \(server.host.debugDescription)")
}

/// `data:` URLs.
let dataURL = FuzzTarget("data-url") { input in
    let text = input.amplifiedText(to: 200_000)
    guard let url = URL(string: "data:" + text), let content = bounded({ DataURL(url) }) else { return }
    expect(content.data.count <= url.absoluteString.utf8.count, "more bytes than the URL has")
    guard let again = URL(string: "data:;base64," + content.data.base64EncodedString()) else { return }
    expect(DataURL(again)?.data == content.data, "different bytes in Base64")
}
