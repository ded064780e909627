import Ferry
import Foundation
import Testing

/// A response to serialize, made without a network.
struct SampleResponse {
    var status = 200
    var type: String?
    var body: Data?
    var method = "GET"

    init(_ status: Int = 200, _ type: String? = nil, _ body: String? = nil, method: String = "GET") {
        self.init(status, type, bytes: body.map { Data($0.utf8) }, method: method)
    }

    init(_ status: Int = 200, _ type: String? = nil, bytes: Data?, method: String = "GET") {
        self.status = status
        self.type = type
        self.body = bytes
        self.method = method
    }

    func http() throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://example.com/path"))
        let fields = type.map { ["Content-Type": $0] }
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        )
    }

    func request() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://example.com/path")))
        request.httpMethod = method
        return request
    }

    func serialized<S: ResponseSerializer>(by serializer: S) throws -> SerializedResponse<S.Output> {
        serializer.serialize(request: try request(), response: try http(), data: body)
    }
}

extension NetworkError {
    /// The codes of the error and of its underlying errors, outermost first.
    var codes: [Code] {
        [code] + ((underlyingError as? NetworkError)?.codes ?? [])
    }
}

extension SerializedResponse {
    /// The codes of the error and of its underlying errors; empty without an error.
    var codes: [NetworkError.Code] { error?.codes ?? [] }
}
