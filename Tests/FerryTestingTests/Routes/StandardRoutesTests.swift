import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct StandardRoutesTests {
    private let server: LoopbackServer
    private let client: RawClient

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(server)
    }

    private func get(_ target: String, _ fields: [String] = []) throws -> RawResponse {
        try client.exchange("GET", target, fields)
    }

    @Test("/echo returns the request") func echo() throws {
        let echo = try client.exchange("PATCH", "/echo?a=1&b=%C3%A9", ["X-A: 1", "x-a: 2"], body: Data("hé".utf8))
            .decoded(LoopbackEcho.self)
        #expect(echo.method == "PATCH")
        #expect(echo.target == "/echo?a=1&b=%C3%A9")
        #expect(echo.query == ["a": "1", "b": "é"])
        #expect(echo.headers == [["Host", "test"], ["X-A", "1"], ["x-a", "2"], ["Content-Length", "3"]])
        #expect(echo.header("X-a") == "1")
        #expect(echo.body == "hé")
        #expect(echo.bodyLength == 3)
        let binary = try client.exchange("POST", "/echo", body: Data([0xff, 0xfe])).decoded(LoopbackEcho.self)
        #expect(binary.body == nil)
        #expect(binary.bodyLength == 2)
    }

    @Test("/status returns any final status", arguments: [200, 204, 301, 304, 401, 418, 503, 999])
    func status(code: Int) throws {
        #expect(try get("/status/\(code)").status == code)
    }

    @Test("Invalid arguments are a 400", arguments: ["/status/100", "/status/x", "/status", "/delay/-1", "/bytes/x"])
    func badArguments(target: String) throws {
        #expect(try get(target).status == 400)
    }

    @Test("/delay waits") func delay() throws {
        let start = ContinuousClock.now
        #expect(try get("/delay/100").status == 200)
        #expect(try get("/delay/100?where=body").status == 200)
        #expect(ContinuousClock.now - start > .milliseconds(190))
    }

    @Test("/bytes returns the pattern, completely or in part") func bytes() throws {
        #expect(try get("/bytes/100000").body == LoopbackServer.pattern(count: 100_000))
        #expect(try get("/bytes/100000").headers["ETag"] == "\"pattern-100000\"")
        let part = try get("/bytes/100000", ["Range: bytes=70000-", "If-Range: \"pattern-100000\""])
        #expect(part.status == 206)
        #expect(part.body == LoopbackServer.pattern(count: 30000, offset: 70000))
        #expect(try get("/bytes/10?etag=new", ["Range: bytes=5-", "If-Range: \"pattern-10\""]).status == 200)
        #expect(try get("/bytes/10?ranges=0", ["Range: bytes=5-"]).status == 200)
        #expect(try get("/bytes/0").body.isEmpty)
    }

    @Test("/drip and /chunked return the pattern in pieces") func pieces() throws {
        let drip = try get("/drip?bytes=500&chunk=200&interval=5")
        #expect(drip.body == LoopbackServer.pattern(count: 500))
        #expect(drip.headers["Content-Length"] == "500")
        #expect(try get("/drip?bytes=50&chunk=20&interval=5&chunked=1").headers["Content-Length"] == nil)
        let chunked = try get("/chunked?chunks=3&size=70000&trailers=1&extension=x")
        #expect(chunked.body == LoopbackServer.pattern(count: 210_000))
        #expect(chunked.trailers["X-SHA256"] == LoopbackServer.patternSHA256(count: 210_000))
        #expect(try get("/chunked?chunks=2&size=10&interval=5").body.count == 20)
        #expect(try get("/chunked?chunks=9223372036854775807&size=10").status == 400)
    }

    @Test("Encoded bodies can be complete, truncated or corrupt") func encoded() throws {
        let plain = LoopbackServer.pattern(count: 1000)
        #expect(try get("/gzip?bytes=1000").body == Gzip.encode(plain))
        #expect(try get("/deflate?bytes=1000").body == Deflate.encode(plain))
        #expect(try get("/deflate?bytes=1000&raw=1").body == Deflate.encodeRaw(plain))
        let cut = try get("/gzip-truncated?bytes=1000")
        #expect(cut.headers["Content-Encoding"] == "gzip")
        #expect(cut.body.count == Gzip.encode(plain).count - 508)
        #expect(Gzip.encode(plain).starts(with: cut.body))
        let corrupt = try get("/gzip-corrupt?bytes=1000").body
        #expect(zip(corrupt, Gzip.encode(plain)).filter { $0 != $1 }.count == 1)
        #expect(try get("/gzip").headers["Content-Type"] == "application/json")
    }

    @Test("/redirect is a chain of relative references to /echo") func redirect() throws {
        #expect(try get("/redirect/3?status=307").headers["Location"] == "2?status=307")
        #expect(try get("/redirect/3?status=307").status == 307)
        #expect(try get("/redirect/1").headers["Location"] == "../echo")
        #expect(try get("/redirect/2?absolute=1").headers["Location"] == "http://test/redirect/1?absolute=1")
        #expect(try get("/redirect/1?absolute=1").headers["Location"] == "http://test/echo")
        let other = try get("/redirect-to?url=http%3A%2F%2Fx%2F%3Fa%3Db&status=308")
        #expect(other.status == 308)
        #expect(other.headers["Location"] == "http://x/?a=b")
        #expect(try get("/redirect-loop").headers["Location"] == "/redirect-loop")
    }

    @Test("Credentials are requested and checked") func authentication() throws {
        let basic = try get("/basic-auth/Aladdin/open%20sesame")
        #expect(basic.status == 401)
        #expect(basic.headers["WWW-Authenticate"]?.hasPrefix("Basic realm=\"ferry\"") == true)
        let right = ["Authorization: basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        #expect(try get("/basic-auth/Aladdin/open%20sesame", right).status == 200)
        #expect(try get("/basic-auth/Aladdin/other", right).status == 401)
        #expect(try get("/bearer/abc").headers["WWW-Authenticate"] == "Bearer realm=\"ferry\"")
        #expect(try get("/bearer/abc", ["Authorization: Bearer abc"]).status == 200)
        #expect(try get("/bearer/abc", ["Authorization: Bearer abd"]).status == 401)
        #expect(try get("/bearer/a%2Fb", ["Authorization: Bearer a/b"]).status == 200)
    }

    @Test("Digest credentials are checked") func digest() throws {
        let target = "/digest-auth/user/secret?algorithm=SHA-256"
        let challenge = try get(target)
        #expect(challenge.headers["WWW-Authenticate"]?.contains("algorithm=SHA-256") == true)
        let nonce = challenge.headers["WWW-Authenticate"]?.components(separatedBy: "nonce=\"").last?.prefix {
            $0 != "\""
        }
        let hash = { (text: String) in SHA256Hash.hash(Data(text.utf8)).hexadecimal }
        for (password, status) in [("secret", 200), ("wrong", 401)] {
            let parts = [
                hash("user:ferry:\(password)"), "\(nonce ?? "")", "00000001", "c,c", "auth", hash("GET:\(target)"),
            ]
            let response = hash(parts.joined(separator: ":"))
            let fields = [
                "username=\"user\"", "realm=\"ferry\"", "nonce=\"\(nonce ?? "")\"", "uri=\"\(target)\"", "qop=auth",
                "nc=00000001", "cnonce=\"c,c\"", "response=\"\(response)\"",
            ]
            #expect(try get(target, ["Authorization: Digest " + fields.joined(separator: ", ")]).status == status)
        }
        #expect(try get(target, ["Authorization: Digest x"]).status == 401)
    }

    @Test("Cookies are returned, set and deleted") func cookies() throws {
        let shown = try get("/cookies", ["Cookie: a=1; b=x=y"]).decoded([String: String].self)
        #expect(shown == ["a": "1", "b": "x=y"])
        let set = try get("/cookies/set?a=1&b=2")
        #expect(set.headers.values(for: "Set-Cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(try get("/cookies/delete?a=").headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    }

    @Test("Interim responses precede the final one") func interim() throws {
        #expect(try get("/interim/100").interim.map(\.status) == [100])
        let hints = try get("/interim/103")
        #expect(hints.interim.first?.headers["Link"] == "</style.css>; rel=preload")
        #expect(hints.status == 200)
        #expect(try get("/interim/101").status == 400)
    }

    @Test("/cache can be revalidated") func cache() throws {
        let first = try get("/cache?max-age=5")
        #expect(first.headers["Cache-Control"] == "max-age=5")
        let again = try get("/cache?max-age=5", ["If-None-Match: \(first.headers["ETag"] ?? "")"])
        #expect(again.status == 304)
        #expect(again.headers["Cache-Control"] == "max-age=5")
    }

    @Test("/response-headers sends the given header fields") func responseHeaders() throws {
        let response = try get("/response-headers?status=429&Retry-After=1&X=a%20b&Content-Type=x/y")
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == "1")
        #expect(response.headers["X"] == "a b")
        #expect(response.headers.values(for: "content-type") == ["x/y"])
    }

    @Test("Documents have their content types and can be parsed") func documents() throws {
        #expect(try JSONSerialization.jsonObject(with: get("/json").body) is [String: Any])
        let list = try PropertyListSerialization.propertyList(from: get("/plist").body, format: nil)
        #expect((list as? [String: Any])?["name"] as? String == "Ferry")
        #expect(try get("/xml").headers["Content-Type"] == "application/xml")
        #expect(try get("/html").text.hasPrefix("<!DOCTYPE html>"))
        #expect(try get("/image?width=2&height=2").body.starts(with: [0x89, 0x50]))
        #expect(try get("/image?width=5000").status == 400)
    }
}
