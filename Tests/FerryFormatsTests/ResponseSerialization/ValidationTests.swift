import FerryFormats
import Foundation
import Testing

@Suite("Validation")
struct ValidationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var status = 200
        var type: String?
        var body: String?
        var isValid: Bool
        var codes: [NetworkError.Code] = []
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "right status and type", type: "application/json", body: "{}", isValid: true),
        Row(
            name: "parameters and case do not matter",
            type: "Application/JSON; charset=utf-8",
            body: "x",
            isValid: true
        ),
        Row(name: "blank before the semicolon", type: "application/json ; charset=utf-8", body: "x", isValid: true),
        Row(name: "the type twice", type: "application/json, application/json", body: "{}", isValid: true),
        Row(name: "no type, no body", body: nil, isValid: true),
        Row(name: "no type, empty body", status: 204, body: "", isValid: true),
        Row(name: "empty type, empty body", status: 204, type: "", body: "", isValid: true),
        Row(name: "no type, a body", body: "x", isValid: false, codes: [.unacceptableContentType]),
        Row(
            name: "wrong type, a body",
            type: "text/html",
            body: "x",
            isValid: false,
            codes: [.unacceptableContentType]
        ),
        Row(name: "wrong type, empty body: invalid without error", type: "text/html", body: "", isValid: false),
        Row(name: "wrong type, no body: invalid without error", type: "text/html", body: nil, isValid: false),
        Row(
            name: "wrong status",
            status: 404,
            type: "application/json",
            body: "{}",
            isValid: false,
            codes: [.unacceptableStatusCode]
        ),
        Row(name: "wrong status, no body", status: 500, isValid: false, codes: [.unacceptableStatusCode]),
        Row(
            name: "both wrong",
            status: 404,
            type: "text/html",
            body: "x",
            isValid: false,
            codes: [.unacceptableStatusCode, .unacceptableContentType]
        ),
        Row(
            name: "both wrong, empty body",
            status: 404,
            type: "text/html",
            body: "",
            isValid: false,
            codes: [.unacceptableStatusCode]
        ),
        Row(name: "299 is success", status: 299, type: "application/json", body: "{}", isValid: true),
        Row(
            name: "300 is not",
            status: 300,
            type: "application/json",
            body: "{}",
            isValid: false,
            codes: [.unacceptableStatusCode]
        ),
        Row(name: "199 is not", status: 199, isValid: false, codes: [.unacceptableStatusCode]),
    ]

    @Test("Status and content type are both validated, and a wrong status is the outer error", arguments: rows)
    func table(row: Row) throws {
        let sample = SampleResponse(row.status, row.type, row.body)
        let validation = Validation(contentTypes: ["application/json"])
        let outcome = validation.validate(response: try sample.http(), data: sample.body)
        #expect(outcome.isValid == row.isValid)
        #expect((outcome.error?.codes ?? []) == row.codes)
        if let error = outcome.error {
            #expect(error.response?.statusCode == row.status)
            #expect(error.data == sample.body)
            #expect(error.failingURL?.absoluteString == "http://example.com/path")
        }
    }

    @Test("A response that is not HTTP is valid, and so is a missing one")
    func notHTTP() throws {
        let url = try #require(URL(string: "file:///etc/hosts"))
        let file = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
        let validation = Validation(contentTypes: ["application/json"])
        #expect(validation.validate(response: file, data: Data([1])).isValid)
        #expect(validation.validate(response: nil, data: Data([1])).isValid)
    }

    @Test("Nil for status codes or content types accepts all")
    func disabled() throws {
        let sample = SampleResponse(500, "x/y", "body")
        #expect(Validation.none.validate(response: try sample.http(), data: sample.body).isValid)
        let onlyStatus = Validation(statusCodes: [500])
        #expect(onlyStatus.validate(response: try sample.http(), data: sample.body).isValid)
        let onlyType = Validation(statusCodes: nil, contentTypes: ["a/b"])
        #expect(
            onlyType.validate(response: try sample.http(), data: sample.body).error?.code == .unacceptableContentType
        )
    }

    @Test(
        "Content types may have wildcards",
        arguments: [
            ("image/*", "image/png", true), ("image/*", "text/png", false), ("image/*", "image/", false),
            ("application/*+json", "application/vnd.api+json", true),
            ("application/*+json", "application/problem+json", true),
            ("application/*+json", "application/json", false), ("application/*+json", "application/+json", false),
            ("application/*+json", "application/x+json2", false), ("*/*", "a/b", true), ("*", "a/b", true),
            ("Text/HTML", "text/html", true), (" text/html ", "text/html", true), ("text/html", "TEXT/HTML", true),
            ("text/html", "text/htmlx", false),
        ]
    )
    func wildcards(pattern: String, type: String, isAccepted: Bool) {
        #expect(Validation(contentTypes: [pattern]).accepts(contentType: type) == isAccepted)
    }

    @Test("A content type of more than 255 bytes is not acceptable", arguments: [249, 250])
    func longType(count: Int) {
        let type = "image/" + String(repeating: "x", count: count)
        #expect(Validation(contentTypes: ["image/*"]).accepts(contentType: type) == (count == 249))
    }

    @Test("The error names the received type and the acceptable ones")
    func message() throws {
        let sample = SampleResponse(200, "text/html; charset=utf-8", "<p>")
        let outcome = Validation(contentTypes: ["text/json", "application/json"])
            .validate(response: try sample.http(), data: sample.body)
        let error = try #require(outcome.error)
        #expect(
            error.message
                == "Request failed: unacceptable content-type: text/html (acceptable: application/json, text/json) "
                + "for http://example.com/path. The server sent a web page"
        )
        #expect(error.receivedContentType == "text/html")
        #expect(error.acceptableContentTypes == ["text/json", "application/json"])
        let missing = SampleResponse(404, nil, "x")
        let status = Validation().validate(response: try missing.http(), data: missing.body).error
        #expect(status?.message == "Request failed: Not Found (404) for http://example.com/path")
    }

    @Test("A serializer accepts what is added to it, and nothing else")
    func widening() throws {
        let json = HTTPDataResponseSerializer(validation: Validation(contentTypes: ["application/json"]))
        #expect(json.accepting("text/html").acceptableContentTypes == ["application/json", "text/html"])
        #expect(HTTPDataResponseSerializer().accepting("text/html").acceptableContentTypes == nil)
        #expect(json.accepting(statusCodes: 400..<500).acceptableStatusCodes == Set(200..<300).union(400..<500))
        #expect(json.acceptingAnyContentType().validation == Validation())
        let anyStatus = Validation(statusCodes: nil, contentTypes: ["application/json"])
        #expect(json.acceptingAnyStatusCode().validation == anyStatus)
    }
}
