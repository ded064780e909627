import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

/// Options of curl that are not compared with curl itself, because the outcome depends on the machine or on time.
@Suite(
    "Options of curl",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct CurlOptionTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    private func ferry(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder)
    }

    @Test("-4 and -6 use only addresses of their version")
    func versions() async throws {
        let host = "http://server.example:\(server.port)/bytes/5"
        let both = ["--resolve", "server.example:\(server.port):[::1],127.0.0.1"]
        let four = try await FerryProcess.run(["-4s", "-w", " %{remote_ip}"] + both + [host], in: folder)
        #expect(four.status == 0 && four.text.hasSuffix(" 127.0.0.1"), "\(four.errors)")
        // The server listens only on the IPv4 address.
        let six = try await FerryProcess.run(["-6s"] + both + [host], in: folder)
        #expect([6, 7].contains(six.status), "\(six.errors)")
        let last = try await FerryProcess.run(["-6", "-4s"] + both + [host], in: folder)
        #expect(last.status == 0, "\(last.errors)")
    }

    @Test("--interface connects from an address or an interface, and one that does not exist ends with 7")
    func interface() async throws {
        let peers = Watched<[String]>([])
        let own = try RawServer { connection in
            connection.readHead()
            peers.append(connection.peer)
            connection.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        for name in ["127.0.0.2", "host!127.0.0.3", "lo", "if!lo"] {
            let outcome = try await ferry("-s", "--interface", name, own.url().absoluteString)
            #expect(outcome.status == 0, "\(name): \(outcome.errors)")
        }
        #expect(peers.current == ["127.0.0.2", "127.0.0.3", "127.0.0.1", "127.0.0.1"])
        for name in ["127.0.0.2.3", "if!nothing0", "192.0.2.1", ""] {
            let outcome = try await ferry("-s", "--interface", name, url("/echo"))
            #expect(outcome.status == 7 && outcome.errorLines.count == 1, "\(name): \(outcome.errors)")
        }
        #expect(server.requestCount == 0)
    }

    @Test("--doh-url asks that resolver and not the system, and a name that it does not find ends with 6")
    func resolverURL() async throws {
        let closed = try ClosedPort()
        let own = try LoopbackServer { _ in .text("hello") }
        let resolver = ["-s", "--doh-url", "https://127.0.0.1:\(closed.port)/dns-query"]
        let unknown = try await FerryProcess.run(
            resolver + [own.url("/", host: "name.example.test").absoluteString],
            in: folder
        )
        #expect(unknown.status == 6)
        let known = try await FerryProcess.run(resolver + [own.url("/", host: "localhost").absoluteString], in: folder)
        #expect(known.status == 0)
    }

    private func options(_ arguments: String...) throws -> FetchOptions {
        guard case .fetch(let options) = try Action(parsing: arguments) else { throw UsageError("not a transfer") }
        return options
    }

    @Test("-Z runs transfers at the same time, and -P limits their number")
    func parallel() async throws {
        let process = try FerryProcess(["-sZO", url("/stall-before"), url("/stall-before?2")], in: folder)
        try await server.waitForRequests(2, timeout: 40 * patience)
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        #expect(try options("-Z", "http://a").parallel == 50)
        #expect(try options("-Z", "-P", "3", "http://a").parallel == 3)
        #expect(try options("http://a").parallel == 1)
    }

    @Test("-N, -J, -g and -q change nothing, and a body arrives before its end")
    func defaults() async throws {
        let process = try FerryProcess(["-qNJgs", url("/stall?after=5")], in: folder)
        try await server.waitForRequests(1, timeout: 40 * patience)
        while process.outputSoFar.count < 5 { try await Task.sleep(for: .milliseconds(20)) }
        process.send(SIGINT)
        #expect(try await process.outcome().output == LoopbackServer.pattern(count: 5))
        let name = "/response-headers?Content-Disposition=attachment;%20filename=given.txt"
        #expect(try await ferry("-gsOJ", url(name)).status == 0)
        #expect(folder.names == ["given.txt"])
        #expect(try await ferry("-g", url("/echo?a={b,c}[1-2]")).status == 0)
        #expect(server.requests.last?.target.removingPercentEncoding == "/echo?a={b,c}[1-2]")
    }

    @Test("-R gives a file the time of Last-Modified, also one that was continued, and without it the time is now")
    func remoteTime() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let own = try LoopbackServer { request in
            let isRest = request.header("Range") != nil
            var response = LoopbackResponse.text(isRest ? "def" : "abcdef", statusCode: isRest ? 206 : 200)
            response.headers["Last-Modified"] = date
            response.headers["ETag"] = "\"a\""
            if isRest { response.headers["Content-Range"] = "bytes 3-5/6" }
            return isRest || request.path != "/cut" ? response : response.faulted(.truncate(afterBodyBytes: 3))
        }
        func time(_ name: String) throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: folder.path(name))[.modificationDate] as? Date
        }
        #expect(try await ferry("-sR", "-o", "x", own.url("/whole").absoluteString).status == 0)
        #expect(try time("x") == HTTPDate.parse(date))
        #expect(try await ferry("-s", "-o", "y", own.url("/whole").absoluteString).status == 0)
        #expect(try #require(try time("y")) > Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try await ferry("-sR", "-o", "z", own.url("/cut").absoluteString).status == 7)
        #expect(try await ferry("-sRC", "-o", "z", own.url("/cut").absoluteString).status == 0)
        #expect(try time("z") == HTTPDate.parse(date) && folder.text("z") == "abcdef")
    }

    @Test("-z keeps a file that has not been modified, and a condition that is neither date nor file is told")
    func timeCondition() async throws {
        let own = try LoopbackServer { request in
            let isOld = request.header("If-Modified-Since") != nil
            return isOld ? .status(304) : .text("new")
        }
        try folder.file("x", "old")
        #expect(try await ferry("-s", "-z", "x", "-o", "x", own.url.absoluteString).status == 0)
        #expect(folder.text("x") == "old" && folder.names == ["x"])
        let missing = try await ferry("-z", "y", "-o", "y", own.url.absoluteString)
        #expect(missing.status == 0 && missing.errors.contains("'y' is neither a date nor a file"))
        #expect(folder.text("y") == "new")
        #expect(try await ferry("-s", "-z", "-2001-02-03", own.url.absoluteString).text == "new")
        #expect(own.requests.last?.header("If-Unmodified-Since") == "Sat, 03 Feb 2001 00:00:00 GMT")
    }

    @Test("--max-redirs limits redirects, and ends with 47")
    func redirects() async throws {
        #expect(try await ferry("-s", "--max-redirs", "2", url("/redirect/2")).status == 0)
        for (most, count) in [("2", 3), ("0", 1)] {
            let outcome = try await ferry("-s", "--max-redirs", most, url("/redirect/\(count)"))
            #expect(outcome.status == 47 && outcome.errorLines.count == 1, "\(outcome.errors)")
        }
        #expect(try await ferry("-s", "--max-redirs", "-1", url("/redirect/25")).status == 0)
        #expect(try await ferry("-s", url("/redirect/25")).status == 47)
    }

    @Test("--digest answers only a Digest challenge of the URL's origin, and never sends the password")
    func digest() async throws {
        let own = try LoopbackServer { request in
            let port = request.header("Host")?.split(separator: ":").last ?? ""
            if request.path == "/leave" { return .redirect(to: "http://localhost:\(port)/") }
            guard request.header("Authorization") == nil else { return .text("in") }
            let digest = #"Digest realm="r", nonce="n", qop="auth""#
            return .status(401, headers: ["WWW-Authenticate": request.path == "/basic" ? "Basic realm=r" : digest])
        }
        let user = ["-s", "--digest", "-u", "ada:s3cret"]
        func run(_ target: String, _ more: String...) async throws -> FerryProcess.Outcome {
            own.reset()
            return try await FerryProcess.run(user + more + [own.url(target).absoluteString], in: folder)
        }
        let post = try await run("/a", "-d", "x=y")
        #expect(post.status == 0 && post.text == "in", "\(post.errors)")
        // libcurl asks for a nonce without the body, as curl does.
        #expect(own.requests.map(\.bodyText) == ["x=y", "", "x=y"])
        #expect(own.requests.dropLast().allSatisfy { $0.header("Authorization") == nil })
        let answer = try #require(own.requests.last?.header("Authorization"))
        #expect(answer.hasPrefix("Digest username=\"ada\"") && !answer.contains("s3cret"))
        for target in ["/basic", "/leave"] {
            let outcome = try await run(target)
            #expect(outcome.status == 22, "\(target): \(outcome.errors)")
            #expect(own.requests.allSatisfy { $0.header("Authorization") == nil })
        }
    }

    @Test("--retry-delay waits this time before each retry, and zero is the default")
    func retryDelay() async throws {
        let own = try LoopbackServer(script: [.respond(statusCode: 503), .respond(statusCode: 503)]) { _ in
            .text("there")
        }
        let outcome = try await ferry("--retry", "2", "--retry-delay", "0.2", own.url.absoluteString)
        #expect(outcome.status == 0 && outcome.text == "there")
        #expect(outcome.errorLines.filter { $0.hasSuffix("trying again in 200 ms") }.count == 2, "\(outcome.errors)")
        let zero = try options("--retry", "1", "--retry-delay", "0", "http://a")
        #expect(zero.retryPolicy?.backoff == RetryPolicy.standard.backoff)
    }

    @Test("--next begins a set of its own, except for global options, and the first failure is the status")
    func next() async throws {
        let first = ["-s", "-d", "a=b", "-H", "X-A: b", url("/echo")]
        let others = ["--next", url("/status/404"), "--next", "-I", url("/bytes/5")]
        let outcome = try await FerryProcess.run(first + others, in: folder)
        #expect(outcome.status == 22)
        #expect(server.requests.map(\.method) == ["POST", "GET", "HEAD"])
        #expect(server.requests.map { $0.header("X-A") } == ["b", nil, nil])
        #expect(outcome.errorLines.count == 1)
        server.reset()
        let wrong = try await ferry(url("/echo"), "--next", "--output")
        #expect(wrong.status == 2 && server.requestCount == 0)
        let empty = try await ferry(url("/echo"), "--next")
        #expect(empty.status == 2 && server.requestCount == 0, "\(empty.errors)")
        let help = try await ferry(url("/echo"), "--next", "--help")
        #expect(help.status == 0 && help.text.hasPrefix("Usage") && server.requestCount == 0)
        let interrupted = try FerryProcess([url("/stall?after=5"), "--next", url("/echo")], in: folder)
        try await server.waitForRequests(1, timeout: 40 * patience)
        interrupted.send(SIGINT)
        #expect(try await interrupted.outcome().status == -SIGINT)
        #expect(server.requestCount == 1)
    }

    @Test("--next does not drop a set because another one is a stream, a WebSocket or a queue")
    func nextWithOthers() async throws {
        let stream = ["--lines", url("/echo")]
        let others = [stream, ["ws", url("/echo")], ["queue", "--dir", "q", "list"], ["demo"]]
        for other in others {
            let last: [String] = [url("/echo"), "--next"] + other
            let first: [String] = other + ["--next"] + stream
            for arguments in [last, first] {
                let outcome = try await FerryProcess.run(arguments, in: folder)
                #expect(outcome.status == 2 && outcome.errors.contains("--next cannot be combined with "), "\(other)")
            }
        }
        #expect(server.requestCount == 0)
    }

    @Test("The arguments of each set are those that were typed, with the global options of those before")
    func groups() throws {
        #expect(try ArgumentScanner.groups(["-sd", "x", "a"]) == [["-sd", "x", "a"]])
        #expect(
            try ArgumentScanner.groups(["-so", "x", "a", "--next", "-C", "-", "b", "--", "-c", "--next"])
                == [["-s", "-o", "x", "a"], ["-s", "-C", "b", "--", "-c", "--next"]]
        )
        #expect(
            try ArgumentScanner.groups(["a", "--next", "-P", "2", "b", "--next", "c"])
                == [["a"], ["-P", "2", "b"], ["-P", "2", "c"]]
        )
    }
}
