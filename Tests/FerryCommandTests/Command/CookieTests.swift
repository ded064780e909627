import FerryTesting
import Foundation
import Testing

@Suite("Cookies", .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"), .timeLimit(.minutes(5)))
struct CookieTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func ferry(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder)
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    @Test("A jar keeps the cookies of one run for the next one")
    func jar() async throws {
        let first = try await ferry("-b", "jar", "-c", "jar", url("/cookies/set?a=1&b=2"))
        #expect(first.status == 0)
        #expect(first.errors.contains("jar: there is no such file; there are no cookies yet"))
        #expect(folder.text("jar")?.hasPrefix("# Netscape HTTP Cookie File\n") == true)
        let second = try await ferry("-b", "jar", "-c", "jar", url("/cookies/delete?a"))
        #expect(second.status == 0)
        #expect(server.requests.last?.header("Cookie") == "a=1; b=2")
        _ = try await ferry("-s", "-b", "jar", "-b", "c=3", url("/echo"))
        #expect(server.requests.last?.header("Cookie") == "b=2; c=3")
        let output = try await ferry("-s", "-b", "jar", "-c", "-", url("/status/204"))
        #expect(output.text.contains("127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t2\n"))
        #expect(folder.names == ["jar"])
    }

    @Test("Cookies as text go to the origin of the URL only, after those that it sets")
    func origins() async throws {
        let other = try LoopbackServer()
        let target = other.url("/echo", host: "localhost").absoluteString
        _ = try await ferry("-s", "-b", "a=s3cret", url("/redirect-to?url=\(target)"))
        #expect(server.requests.last?.header("Cookie") == "a=s3cret")
        #expect(other.requests.count == 1 && other.requests.last?.header("Cookie") == nil)
        let own = try LoopbackServer { request in
            var response = LoopbackResponse.redirect(to: "/b")
            response.headers.add("Set-Cookie", "set=1")
            return request.path == "/a" ? response : .text("ok")
        }
        let outcome = try await ferry("-v", "-b", "a=s3cret", own.url("/a").absoluteString)
        #expect(own.requests.map { $0.header("Cookie") } == ["a=s3cret", "set=1; a=s3cret"])
        #expect(outcome.errors.contains("> Cookie: …") && !outcome.errors.contains("s3cret"))
    }

    @Test("Several fields of cookies are joined as cookies")
    func fields() async throws {
        _ = try await ferry("-s", "-H", "Cookie: a=1", "-H", "cookie: b=2", url("/echo"))
        #expect(server.requests.last?.header("Cookie") == "a=1; b=2")
    }

    @Test("A file that is malformed or endless ends with 23 before anything is sent")
    func refused() async throws {
        try folder.file("bad", "# comment\nnot a cookie\n")
        let bad = try await ferry("-b", "bad", url("/echo"))
        #expect(bad.status == 23)
        #expect(bad.errorLines == ["ferry: bad, line 2: a cookie has 7 fields separated by tabs, not 1"])
        #expect(try await ferry("-b", "/dev/zero", url("/echo")).status == 23)
        #expect(try await ferry("-b", ".", url("/echo")).status == 23)
        #expect(server.connectionCount == 0)
        let jar = try await ferry("-sc", "missing/jar", url("/cookies/set?a=1"))
        #expect(jar.status == 23 && jar.errors.contains("missing/jar"))
    }
}
