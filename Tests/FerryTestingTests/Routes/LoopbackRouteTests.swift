import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct LoopbackRouteTests {
    private let routes = [
        LoopbackRoute("GET", "/users/:id") { .text("user \($0.parameters["id"] ?? "")") },
        LoopbackRoute("GET", "/users/me") { _ in .text("never") },
        LoopbackRoute(nil, "/files/*") { .text("file \($0.parameters["*"] ?? "")") },
        LoopbackRoute("POST", "/refused", bodyReading: .early(.status(413))) { _ in .text("no body") },
        LoopbackRoute("GET", "/x/*/y") { _ in .text("literal") },
        LoopbackRoute("GET", "/search?q=a") { _ in .text("search") },
        LoopbackRoute("GET", "/") { _ in .text("root") },
    ]

    @Test(
        "The first matching route responds, and otherwise a built-in one",
        arguments: [
            ("GET", "/users/7", "user 7"),
            ("GET", "/users/me", "user me"),
            ("GET", "/users/a%20b/", "user a b"),
            ("GET", "/users/a%2Fb", "user a/b"),
            ("GET", "/users%2F7", "There is no such route.\n"),
            ("PUT", "/files/a/b", "file a/b"),
            ("PUT", "/files/a%2Fb/%63", "file a/b/c"),
            ("GET", "/files", "file "),
            ("GET", "/x/*/y", "literal"),
            ("GET", "/x/1/y", "There is no such route.\n"),
            ("GET", "/x/1/z", "There is no such route.\n"),
            ("GET", "/x", "There is no such route.\n"),
            ("GET", "/search", "search"),
            ("GET", "/search?q=b", "search"),
            ("GET", "/", "root"),
            ("GET", "/status/200", "200\n"),
            ("GET", "/status%2F200", "There is no such route.\n"),
            ("GET", "/users", "There is no such route.\n"),
            ("GET", "/users/1/2", "There is no such route.\n"),
            ("POST", "/users/1", "There is no such route.\n"),
        ]
    ) func matching(method: String, target: String, text: String) throws {
        let server = try LoopbackServer(routes: routes)
        #expect(try RawClient(server).exchange(method, target).text == text)
    }

    @Test("A route for GET also serves HEAD") func head() throws {
        let server = try LoopbackServer(routes: routes)
        #expect(try RawClient(server).exchange("HEAD", "/users/7").headers["Content-Length"] == "6")
    }

    @Test("A route may respond before the body; others keep the built-in reading") func bodyReading() throws {
        let server = try LoopbackServer(routes: routes)
        let head = " HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\n"
        let refused = try RawClient(server)
        try refused.send("POST /refused" + head)
        #expect(try refused.response().status == 413)
        let early = try RawClient(server)
        try early.send("POST /early/401" + head)
        #expect(try early.response().status == 401)
    }

    @Test("Another fallback replaces the built-in routes") func fallback() throws {
        let server = try LoopbackServer(routes: routes) { _ in .text("mine", statusCode: 410) }
        #expect(try RawClient(server).exchange("GET", "/echo").status == 410)
    }

    @Test(
        "Another fallback gets the bodies of all requests without a route",
        arguments: ["/expect/417", "/early/401", "/early/x", "/upload-reset"]
    ) func fallbackBody(target: String) throws {
        let server = try LoopbackServer(routes: routes) { .text("mine \($0.bodyText ?? "")") }
        #expect(try RawClient(server).exchange("POST", target, body: Data("body".utf8)).text == "mine body")
    }

    @Test("A handler may replace the path of a request that it passes on") func replacedPath() {
        var request = LoopbackRequest(target: "/other/a%2Fb")
        request.path = "/status/204"
        #expect(LoopbackServer.standardRoutes(request).statusCode == 204)
    }

    @Test("A sequence sends one response per request, and repeats the last one") func sequence() throws {
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.status(503), .empty, .text("ok")]))
        let client = try RawClient(server)
        #expect(try client.exchange("GET", "/").status == 503)
        try client.request("GET", "/")
        #expect(client.receiveAll().data.isEmpty)
        let other = try RawClient(server)
        #expect(try other.exchange("GET", "/").text == "ok")
        #expect(try other.exchange("GET", "/").text == "ok")
        let empty = try LoopbackServer(handler: LoopbackServer.sequence([]))
        #expect(try RawClient(empty).exchange("GET", "/").status == 500)
    }
}
