import Ferry
import FerryOperations
import FerryTesting
import Foundation
import Testing

/// Parameters as AFNetworking's users write them: variables, dictionaries of `Any`, and their own types.
@Suite("Parameters as with AFNetworking", .timeLimit(.minutes(5)))
struct ParameterLineTests {
    struct Search: Encodable, ParametersConvertible {
        var q: String
        var page: Int?
    }

    struct User: Encodable {
        var name: String
    }

    private let q = "sea & sky"
    private let page = 2
    private let server: LoopbackServer
    private let manager: HTTPSessionManager

    init() throws {
        server = try LoopbackServer()
        manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.notificationQueue = nil
    }

    /// Returns the query or the body that a call has sent.
    private func sent(
        _ call: (HTTPSessionManager, @escaping @Sendable (TaskResponse<any Sendable>) -> Void) -> URLSessionTask?
    ) async throws -> String {
        let response = await withCheckedContinuation { continuation in
            _ = call(manager) { continuation.resume(returning: $0) }
        }
        _ = try response.get()
        let echo = try JSONDecoder().decode(LoopbackEcho.self, from: try #require(response.data))
        if let body = echo.body, !body.isEmpty { return body }
        return String(echo.target.drop { $0 != "?" }.dropFirst())
    }

    @Test("A literal of variables of several types")
    func variables() async throws {
        let text = try await sent { manager, handler in
            manager.get(
                "echo",
                parameters: ["q": q, "page": page],
                completionHandler: handler
            )
        }
        #expect(text == "page=2&q=sea%20%26%20sky")
    }

    @Test("A literal of literals of several types, nested and nil")
    func literals() async throws {
        let text = try await sent { manager, handler in
            manager.get(
                "echo",
                parameters: ["a": 1, "b": "c", "d": [1, 2], "e": nil, "f": ["g": true]],
                completionHandler: handler
            )
        }
        #expect(text == "a=1&b=c&d%5B%5D=1&d%5B%5D=2&f%5Bg%5D=1")
    }

    @Test("A literal that nests variables of several types, sets, dates and data")
    func nested() async throws {
        manager.requestSerializer = .json
        let (data, tags): (Data, Set<String>) = (Data([1]), ["y", "x"])
        let text = try await sent { manager, handler in
            manager.post(
                "echo",
                parameters: [
                    "user": ["name": q, "page": page, "tags": tags, "data": data], "empty": [], "n": NSNull(),
                ],
                completionHandler: handler
            )
        }
        #expect(text == #"{"empty":[],"n":null,"user":{"data":"AQ==","name":"sea & sky","page":2,"tags":["x","y"]}}"#)
    }

    @Test("Dictionaries in variables, of Any, of one type, and of Foundation's numbers")
    func dictionaries() async throws {
        let any: [String: Any] = ["q": "x", "page": page, "number": NSNumber(value: 1.5)]
        let texts: [String: String] = ["q": "x"]
        let none: [String: Any]? = nil
        let first = try await sent {
            $0.get("echo", parameters: any, completionHandler: $1)
        }
        #expect(first == "number=1.5&page=2&q=x")
        let explicit = Parameters(any)
        let same = try await sent {
            $0.get("echo", parameters: explicit, completionHandler: $1)
        }
        #expect(same == first)
        let second = try await sent {
            $0.get("echo", parameters: texts, completionHandler: $1)
        }
        #expect(second == "q=x")
        let third = try await sent {
            $0.get("echo", parameters: none, completionHandler: $1)
        }
        #expect(third == "")
    }

    @Test("A value of any Encodable type in every kind of call; nil is no parameters")
    func anyEncodable() async throws {
        struct Page: Encodable {
            var q: String
            var page: Int?
        }
        let value = Page(q: "x", page: 2)
        let text = "page=2&q=x"
        #expect(try await sent { $0.get("echo", parameters: .encoding(value), completionHandler: $1) } == text)
        #expect(try await sent { $0.post("echo", parameters: .encoding(value), completionHandler: $1) } == text)
        #expect(try await sent { $0.send(.get("echo").parameters(.encoding(value)), completionHandler: $1) } == text)
        let got = try await manager.get("echo", parameters: .encoding(value), as: LoopbackEcho.self)
        #expect(got.target == "/echo?\(text)")
        let echo: LoopbackEcho = try await manager.put("echo", parameters: .encoding(value))
        #expect(echo.body == text)
        let untyped = try await manager.patch("echo", parameters: .encoding(value)) as? JSONValue
        #expect(untyped?.body?.string == text)
        let (none, some): (Page?, Page?) = (nil, value)
        #expect(try await sent { $0.get("echo", parameters: .encoding(some), completionHandler: $1) } == text)
        #expect(try await sent { $0.get("echo", parameters: .encoding(none), completionHandler: $1) } == "")
        let form = try await manager.upload("echo", parameters: .encoding(value), as: LoopbackEcho.self) { form in
            form.append("text", name: "note")
        }
        #expect(form.body?.contains("name=\"page\"\r\n\r\n2\r\n") == true)
        manager.requestSerializer = .json
        let without = try await manager.post("echo", parameters: .encoding(none), as: LoopbackEcho.self)
        #expect(without.bodyLength == 0)
    }

    @Test("An Encodable type with a conformance, and another one in a wrapper")
    func encodable() async throws {
        let first = try await sent {
            $0.get("echo", parameters: Search(q: "x"), completionHandler: $1)
        }
        #expect(first == "q=x")
        manager.requestSerializer = JSONRequestSerializer { $0.keyEncodingStrategy = .convertToSnakeCase }
        struct Note: Encodable, ParametersConvertible { var firstName = "Ada" }
        let second = try await sent {
            $0.post("echo", parameters: Note(), completionHandler: $1)
        }
        #expect(second == #"{"first_name":"Ada"}"#, "The serializer's own encoder encodes the parameters")
        let third = try await sent {
            $0.post(
                "echo",
                parameters: .encoding(User(name: "Ada")),
                completionHandler: $1
            )
        }
        #expect(third == #"{"name":"Ada"}"#)
    }

    @Test("Arrays, Parameters and ParameterValue work too")
    func others() async throws {
        manager.requestSerializer = .json
        let parameters: Parameters = ["a": 1]
        let value: ParameterValue = ["b": .integer(2)]
        let first = try await sent {
            $0.post("echo", parameters: [1, "x"], completionHandler: $1)
        }
        #expect(first == #"[1,"x"]"#)
        let second = try await sent {
            $0.post("echo", parameters: parameters, completionHandler: $1)
        }
        #expect(second == #"{"a":1}"#)
        let third = try await sent {
            $0.post("echo", parameters: value, completionHandler: $1)
        }
        #expect(third == #"{"b":2}"#)
    }

    @Test("Async verbs, Request values, request serializers and operations take the same parameters")
    func otherCalls() async throws {
        let query = "/echo?page=2&q=sea%20%26%20sky"
        #expect(
            try await manager.get("echo", parameters: ["q": q, "page": page], as: LoopbackEcho.self).target == query
        )
        let any: [String: Any] = ["q": q, "page": page]
        #expect(
            try await manager.get("echo", parameters: any, as: LoopbackEcho.self).target == query
        )
        let request = Request<LoopbackEcho>.get("echo").parameters(["q": q, "page": page])
        #expect(try await manager.send(request).target == query)
        let made = try manager.requestSerializer.makeRequest(
            method: .get,
            url: server.url("/echo"),
            parameters: ["q": q, "page": page]
        )
        #expect(made.url?.query == "page=2&q=sea%20%26%20sky")
        let operations = HTTPRequestOperationManager(sessionManager: manager)
        let finished = Watched<String?>(nil)
        operations.get("echo", parameters: ["q": q, "page": page]) { operation, _ in
            finished.change { $0 = operation.request.url?.query }
        }
        try await finished.wait { $0 == "page=2&q=sea%20%26%20sky" }
    }

    @MainActor
    @Test("Parameters can come from an object on the main actor")
    func mainActor() async throws {
        final class Screen {
            var q = "x"
            var page = 1
            var filter: [String: String] = ["a": "b"]
        }
        let screen = Screen()
        let first = try await manager.get(
            "echo",
            parameters: ["q": screen.q, "page": screen.page],
            as: LoopbackEcho.self
        )
        #expect(first.target == "/echo?page=1&q=x")
        let second = try await manager.get("echo", parameters: screen.filter, as: LoopbackEcho.self)
        #expect(second.target == "/echo?a=b")
        screen.page += 1
    }

    @Test("A value that cannot be a parameter is error -1016, which names its key path")
    func noParameter() async {
        struct Opaque {}
        let error = await manager.response(for: .get("echo").parameters(["a": ["b": Opaque()]])).error
        #expect(error == .invalidParameters)
        #expect(error?.nsError.code == -1016)
        #expect(error?.message.contains("“[a][b]”") == true, "\(error?.message ?? "")")
        #expect(server.requestCount == 0)
    }
}
