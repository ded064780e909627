import FerryTesting
import Foundation
import Testing

@testable import FerryAPI

@Suite("Problem details", .timeLimit(.minutes(5)))
struct ProblemDetailsTests {
    /// The example of RFC 9457, section 3.
    private static let outOfCredit = """
        {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "status": 403,
         "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
         "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
        """

    private func error(
        _ body: String,
        type: String? = "application/problem+json",
        underlying: NetworkError? = nil
    ) throws -> NetworkError {
        let sample = SampleResponse(403, type, body)
        return NetworkError(
            .unacceptableStatusCode,
            message: "no",
            response: try sample.http(),
            data: sample.body,
            underlyingError: underlying
        )
    }

    @Test("The members of a problem are read, and the others are its extensions")
    func members() throws {
        let problem = try #require(try error(Self.outOfCredit).problem)
        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit.")
        #expect(problem.status == 403)
        #expect(problem.detail == "Your current balance is 30, but that costs 50.")
        #expect(problem.instance == "http://example.com/account/12345/msgs/abc")
        #expect(problem.extensions == ["balance": 30, "accounts": ["/account/12345", "/account/67890"]])
    }

    /// RFC 9457, sections 3.1 and 3.1.1.
    @Test("Members of the wrong type are ignored, and the type is about:blank by default")
    func wrongTypes() throws {
        #expect(try error("{}").problem == ProblemDetails())
        let wrong = #"{"type": 1, "title": null, "status": "403", "detail": {}, "instance": [], "x": null}"#
        #expect(try error(wrong).problem == ProblemDetails(extensions: ["x": .null]))
        for status in ["99", "600", "-1", "403.5", "1e99", "99999999999999999999"] {
            #expect(try error("{\"status\": \(status)}").problem == ProblemDetails(), "\(status)")
        }
    }

    @Test(
        "Relative URIs are resolved against the URL of the response",
        arguments: [
            ("about:blank", "about:blank"), ("a b", "http://example.com/a%20b"),
            ("?x=1", "http://example.com/path?x=1"),
            ("urn:uuid:1", "urn:uuid:1"), ("//b.test/x", "http://b.test/x"), ("", ""),
        ]
    )
    func references(_ reference: String, _ resolved: String) throws {
        let body = "{\"type\": \"\(reference)\", \"instance\": \"\(reference)\"}"
        #expect(try error(body).problem == ProblemDetails(type: resolved, instance: resolved))
        #expect(ProblemDetails(try JSONValue(json: body)) == ProblemDetails(type: reference, instance: reference))
    }

    @Test(
        "Only a JSON object with the content type of problems is one",
        arguments: [
            ("application/json", "{}", false), (nil, "{}", false), ("application/problem+xml", "{}", false),
            ("application/problem+json", "[]", false), ("application/problem+json", "{", false),
            ("application/problem+json", "", false), ("Application/Problem+JSON; charset=utf-8", "{}", true),
        ] as [(String?, String, Bool)]
    )
    func contentType(_ type: String?, _ body: String, _ isProblem: Bool) throws {
        #expect((try error(body, type: type).problem != nil) == isProblem)
    }

    @Test("A body larger than the limit is not read")
    func size() throws {
        func body(_ size: Int) -> String { "{\"a\":\"" + String(repeating: "b", count: size - 8) + "\"}" }
        #expect(try error(body(ProblemDetails.maximumSize)).problem != nil)
        #expect(try error(body(ProblemDetails.maximumSize + 1)).problem == nil)
        let deep = String(repeating: "{\"a\":", count: 2_000) + "1" + String(repeating: "}", count: 2_000)
        #expect(try error(deep).problem == nil)
    }

    @Test("An error without a response has no problem; one of an underlying error is found")
    func underlying() throws {
        #expect(NetworkError(.timedOut, message: "late").problem == nil)
        let inner = try error(#"{"title": "inner"}"#)
        #expect(NetworkError(.decodingFailed, message: "x", underlyingError: inner).problem?.title == "inner")
        #expect(try error(#"{"title": "outer"}"#, underlying: inner).problem?.title == "outer")
    }

    @Test("A problem can be decoded as a type")
    func decodable() throws {
        let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(Self.outOfCredit.utf8))
        #expect(problem.instance == "/account/12345/msgs/abc")
        #expect(problem.extensions["balance"]?.int == 30)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ProblemDetails.self, from: Data("[1]".utf8)) }
    }

    @Test(
        "The error of a failed request has the server's problem, whichever serializer",
        arguments: TestTransport.allCases
    )
    func wire(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            .data(Data(Self.outOfCredit.utf8), contentType: "application/problem+json", statusCode: 403)
        }
        let manager = transport.manager(baseURL: server.url)
        let errors = [
            await manager.response(for: .get("x", as: [Int].self)).error,
            await manager.response(for: .get("x", serializer: .json)).error,
            await manager.response(for: .get("x", serializer: .data)).error,
            await manager.response(for: .get("x")).error,
        ]
        for error in errors {
            #expect(error?.contains(.unacceptableStatusCode) == true)
            #expect(error?.problem?.extensions["balance"]?.int == 30)
            #expect(error?.problem?.instance == server.url("/account/12345/msgs/abc").absoluteString)
        }
        // As in AFNetworking, the message is the status, not the server's text.
        let message = "Request failed: Forbidden (403) for GET http://127.0.0.1:\(server.port)/x"
        #expect(errors.last??.localizedDescription == message)
    }
}
