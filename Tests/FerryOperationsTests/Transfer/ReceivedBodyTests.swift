import Foundation
import Testing

@testable import FerryOperations

@Suite("The received part of a body") struct ReceivedBodyTests {
    private func request() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://localhost/entity")))
    }

    private func response(_ status: Int, _ fields: [String: String] = [:]) throws -> HTTPURLResponse {
        let url = try #require(try request().url)
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    }

    /// A body of which four bytes of ten have arrived, and the rest has been requested.
    private func resumed() throws -> ReceivedBody {
        var body = ReceivedBody()
        let first = body.nextRequest(try request())
        #expect(first.value(forHTTPHeaderField: "Range") == nil)
        let verdict = body.take(try response(200, ["ETag": "\"v1\"", "Content-Length": "10"]), request: try request())
        #expect(verdict == .begins)
        body.append(Data("0123".utf8))
        let second = body.nextRequest(try request())
        #expect(second.value(forHTTPHeaderField: "Range") == "bytes=4-")
        return body
    }

    private var rest: [String: String] { ["ETag": "\"v1\"", "Content-Range": "bytes 4-9/10", "Content-Length": "6"] }

    @Test("The rest continues the part") func continues() throws {
        var body = try resumed()
        let verdict = body.take(try response(206, rest), request: try request())
        #expect(verdict == .continues)
        #expect(body.byteCount == 4)
    }

    @Test("The rest after a challenge is not the body, since the part was discarded with the challenge")
    func restAfterChallenge() throws {
        var body = try resumed()
        let challenge = body.take(try response(401, ["WWW-Authenticate": "Basic realm=\"r\""]), request: try request())
        #expect(challenge == .begins)
        body.append(Data("denied".utf8))
        let verdict = body.take(try response(206, rest), request: try request())
        #expect(verdict == .mustStartOver)
        #expect(body.byteCount == 0)
        let next = body.nextRequest(try request())
        #expect(next.value(forHTTPHeaderField: "Range") == nil)
        let whole = body.take(try response(200), request: try request())
        #expect(whole == .begins)
    }

    @Test("A range that the user requested is the body, also after a challenge") func ownRange() throws {
        var request = try request()
        request.setValue("bytes=4-", forHTTPHeaderField: "Range")
        var body = ReceivedBody()
        let sent = body.nextRequest(request)
        #expect(sent == request)
        let challenge = body.take(try response(401), request: request)
        #expect(challenge == .begins)
        let verdict = body.take(try response(206, rest), request: request)
        #expect(verdict == .begins)
    }
}
