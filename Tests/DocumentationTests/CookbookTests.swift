import FerryAPI
import FerryTesting
import Foundation
import TestSupport
import Testing

/// Runs the recipes of the cookbook.
@Suite("The cookbook's recipes", .timeLimit(.minutes(2)))
struct CookbookTests {
    @Test("Log in with cookies")
    func logIn() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/login") { request in
                let form = request.formItems?.map { "\($0.name)=\($0.value ?? "")" }.sorted()
                guard form == ["name=ada", "password=secret"] else { return .status(403) }
                return .status(204, headers: ["Set-Cookie": "session=s1; Path=/; HttpOnly"])
            },
            LoopbackRoute("GET", "/account") { $0.header("Cookie") == "session=s1" ? .ada : .status(401) },
        ])
        let user = try await Cookbook.logIn(api: server.url, password: "secret")
        #expect(user.name == "Ada")
        let error = await #expect(throws: NetworkError.self) {
            try await Cookbook.logIn(api: server.url, password: "wrong")
        }
        #expect(error?.statusCode == 403)
        #expect(server.requests.map(\.path) == ["/login", "/account", "/login"])
    }

    @Test("Refresh a token")
    func refresh() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/token") { request in
                #expect(request.header("Authorization") == nil)
                #expect(request.bodyText == "refresh=r1")
                return .json(#"{"token":"new"}"#)
            },
            LoopbackRoute("GET", "/users/:id") { $0.header("Authorization") == "Bearer new" ? .ada : .status(401) },
        ])
        let manager = HTTPSessionManager(baseURL: server.url)
        let accounts = HTTPSessionManager(baseURL: server.url)
        Cookbook.refresh(manager: manager, accounts: accounts, savedToken: "old", refreshToken: "r1")
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for id in 0..<8 { group.addTask { try await manager.get("users/\(id)", as: User.self).name } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "Ada", count: 8))
        #expect(server.requests.filter { $0.path == "/token" }.count == 1)
        #expect(server.requests.contains { $0.header("Authorization") == "Bearer old" })
    }

    @Test("Refresh a token before it expires")
    func refreshEarly() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/token") { _ in .json(#"{"token":"new","lifetime":600}"#) },
            LoopbackRoute("GET", "/users/:id") { $0.header("Authorization") == "Bearer new" ? .ada : .status(401) },
        ])
        let manager = HTTPSessionManager(baseURL: server.url)
        Cookbook.refreshEarly(
            manager: manager,
            accounts: HTTPSessionManager(baseURL: server.url),
            savedToken: "old",
            savedDate: Date(timeIntervalSinceNow: -1),
            refreshToken: "r1"
        )
        for id in 1...2 { #expect(try await manager.get("users/\(id)", as: User.self).name == "Ada") }
        // The expired token is never sent, and the new one is not replaced before it expires.
        #expect(server.requests.map(\.path) == ["/token", "/users/1", "/users/2"])
    }

    @Test("Keep OAuth tokens")
    func oauth() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/token") { request in
                let token = request.bodyText?.contains("refresh_token=r1") == true ? ("a2", "r2") : ("a3", "r3")
                return .json(#"{"access_token":"\#(token.0)","refresh_token":"\#(token.1)","token_type":"Bearer"}"#)
            },
            LoopbackRoute("GET", "/users/1") { $0.header("Authorization") == "Bearer a1" ? .status(401) : .ada },
        ])
        let folder = try TemporaryFolder()
        let file = folder.file("token")
        let save: @Sendable (OAuth2Token) -> Void = { try? JSONEncoder().encode($0).write(to: file) }
        func start() -> (HTTPSessionManager, AuthenticationInterceptor<OAuth2Authenticator>) {
            let manager = HTTPSessionManager(baseURL: server.url)
            let endpoint = server.url("/token")
            return (manager, Cookbook.oauth(manager: manager, endpoint: endpoint, secret: "s", file: file, save: save))
        }
        let (first, authentication) = start()
        let error = await first.response(for: .get("users/1", as: User.self)).error
        #expect((error?.underlyingError as? OAuth2Error)?.code == .missingRefreshToken)
        authentication.credential = OAuth2Token(accessToken: "a1", refreshToken: "r1")
        #expect(try await first.get("users/1", as: User.self).name == "Ada")
        // The next process begins with the tokens that this one has saved.
        #expect(try await start().0.get("users/1", as: User.self).name == "Ada")
        let fields = server.requests.filter { $0.path == "/users/1" }.map { $0.header("Authorization") }
        #expect(fields == ["Bearer a1", "Bearer a2", "Bearer a2"])
    }

    @Test("Send and read ISO dates")
    func dates() async throws {
        let server = try LoopbackServer { request in .json(request.bodyText ?? "") }
        let draft = Meeting(title: "Plans", date: Date(timeIntervalSince1970: 784_111_777))
        let meeting = try await Cookbook.dates(manager: HTTPSessionManager(baseURL: server.url), draft: draft)
        #expect(meeting.date == draft.date && meeting.title == draft.title)
        #expect(server.requests.first?.bodyText == #"{"date":"1994-11-06T08:49:37Z","title":"Plans"}"#)
    }

    @Test("Leave out what is nil")
    func optionals() async throws {
        let server = try LoopbackServer { _ in .ada }
        let manager = HTTPSessionManager(baseURL: server.url)
        for email in [nil, "ada@example.com"] {
            #expect(try await Cookbook.optionals(manager: manager, name: "Ada", email: email).name == "Ada")
        }
        #expect(server.requests.map(\.bodyText) == ["name=Ada", "email=ada%40example.com&name=Ada"])
    }

    @Test("Send bytes of any type")
    func bytes() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let manager = HTTPSessionManager(baseURL: server.url)
        manager.requestSerializer.headers["X-Own"] = "yes"
        let answer = try await Cookbook.bytes(manager: manager, photo: Data([1, 2]))
        #expect(answer == Data("ok".utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.path == "/photos/1" && request.body == Data([1, 2]))
        #expect(request.headers["Content-Type"] == "image/png" && request.headers["X-Own"] == "yes")
    }

    @Test("Send a compressed body")
    func compressed() async throws {
        let server = try LoopbackServer { request in
            .data(request.body, contentType: "application/json").adding("Content-Encoding", "gzip")
        }
        let meetings = [Meeting(title: "Plans", date: Date(timeIntervalSince1970: 784_111_777))]
        let answer = try await Cookbook.compressed(manager: HTTPSessionManager(baseURL: server.url), meetings: meetings)
        #expect(try JSONDecoder().decode([Meeting].self, from: answer).map(\.title) == ["Plans"])
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip" && request.header("Content-Type") == "application/json")
    }

    @Test("Continue a download")
    func resume() async throws {
        let size = 300_000
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: size), etag: "v1", for: request)
            return request.header("Range") == nil ? response.faulted(.truncate(afterBodyBytes: size / 3)) : response
        }
        let folder = try TemporaryFolder()
        let file = try await Cookbook.resume(manager: HTTPSessionManager(baseURL: server.url), folder: folder.url)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: size))
        #expect(folder.names == ["file.zip"])
        #expect(server.requests.map { $0.header("Range") != nil } == [false, true])
    }

    @Test("Read all pages of a list")
    func pages() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/users") { request in
                let page = Int(request.query["page"] ?? "1") ?? 0
                let response = LoopbackResponse.json(#"[{"id":\#(page),"name":"User \#(page)"}]"#)
                return page == 3 ? response : response.adding("Link", "</users?page=\(page + 1)>; rel=\"next\"")
            }
        ])
        let users = try await Cookbook.page(manager: HTTPSessionManager(baseURL: server.url))
        #expect(users.map(\.name) == ["User 1", "User 2", "User 3"])
        #expect(server.requests.map(\.target) == ["/users", "/users?page=2", "/users?page=3"])
    }

    @Test("Download with a progress bar")
    func download() async throws {
        let size = 300_000
        let server = try LoopbackServer { _ in .pattern(count: size).throttled(bytesPerSecond: 1_500_000) }
        let folder = try TemporaryFolder()
        let screen = try folder.file("screen", "")
        let terminal = try FileHandle(forWritingTo: screen)
        let file = try await Cookbook.download(
            manager: HTTPSessionManager(baseURL: server.url),
            folder: folder.url,
            terminal: terminal
        )
        try terminal.close()
        #expect(file == folder.file("file.zip"))
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: size))
        let bars = try #require(folder.text("screen")).split(separator: "\r").map(String.init)
        #expect(bars.allSatisfy { $0.wholeMatch(of: /[#.]{40} [0-9]{1,3} %/) != nil }, "\(bars)")
        #expect(bars.last == String(repeating: "#", count: 40) + " 100 %")
        let lengths = bars.map { bar in bar.count { $0 == "#" } }
        #expect(lengths == lengths.sorted())
    }

    @Test("Upload a form")
    func upload() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/photos") { _ in .json(#"{"id":7}"#, statusCode: 201) }
        ])
        let folder = try TemporaryFolder()
        let file = try folder.file("harbour.jpg", "a picture")
        let photo = try await Cookbook.upload(manager: HTTPSessionManager(baseURL: server.url), file: file)
        #expect(photo.id == 7)
        let parts = try #require(server.requests.first?.multipartParts)
        #expect(parts.map(\.name) == ["album", "photo"])
        #expect(parts.map(\.text) == ["sea", "a picture"])
        #expect(parts.map(\.filename) == [nil, "harbour.jpg"])
    }

    @Test("Stream lines", arguments: [1, 3, 1_000])
    func lines(pieceSize: Int) async throws {
        let text = "first\r\nsécond\n\nunfinished"
        let server = try LoopbackServer { _ in .pieces(of: text, size: pieceSize) }
        var lines: [String] = []
        try await Cookbook.lines(manager: HTTPSessionManager(baseURL: server.url)) { lines.append($0) }
        #expect(lines == ["first", "sécond", "", "unfinished"])
    }

    @Test("Receive server-sent events", arguments: [1, 5, 1_000])
    func events(pieceSize: Int) async throws {
        let text = """
            : a comment\n\ndata: one\n\nevent: change\nid: 7\ndata:  two, indented\ndata:with a second line\n\n\
            data: three\r\n\r\n\ndata\n\ndata:\ndata:\n\ndatabase: no\ndata: never finished\n
            """
        let server = try LoopbackServer { request in
            request.path == "/events" ? .pieces(of: text, size: pieceSize) : .status(404)
        }
        var events: [String] = []
        try await Cookbook.events(manager: HTTPSessionManager(baseURL: server.url)) { events.append($0) }
        // The second event has another type.
        #expect(events == ["one", "three", "", "\n"])
    }
}

extension LoopbackResponse {
    /// The user of most recipes, as JSON.
    static var ada: LoopbackResponse { .json(#"{"id":1,"name":"Ada"}"#) }

    /// Returns a response whose body is sent in chunks of a size.
    static func pieces(of text: String, size: Int) -> LoopbackResponse {
        let body = Data(text.utf8)
        return .stream(contentType: "text/plain") { stream in
            for start in stride(from: 0, to: body.count, by: size) {
                guard stream.write(body[start..<min(start + size, body.count)]) else { return }
            }
        }
    }
}
