import FerryFormats
import Foundation

/// A response to serialize, made without a network.
package struct SampleResponse: Sendable {
    package var status = 200
    package var type: String?
    package var body: Data?
    package var method = "GET"

    package init(_ status: Int = 200, _ type: String? = nil, _ body: String? = nil, method: String = "GET") {
        self.init(status, type, bytes: body.map { Data($0.utf8) }, method: method)
    }

    package init(_ status: Int = 200, _ type: String? = nil, bytes: Data?, method: String = "GET") {
        self.status = status
        self.type = type
        self.body = bytes
        self.method = method
    }

    package func http() throws -> HTTPURLResponse {
        let fields = type.map { ["Content-Type": $0] }
        let url = try Self.url()
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else { throw URLError(.badServerResponse) }
        return response
    }

    package func request() throws -> URLRequest {
        var request = URLRequest(url: try Self.url())
        request.httpMethod = method
        return request
    }

    package func serialized<S: ResponseSerializer>(by serializer: S) throws -> SerializedResponse<S.Output> {
        serializer.serialize(request: try request(), response: try http(), data: body)
    }

    private static func url() throws -> URL {
        guard let url = URL(string: "http://example.com/path") else { throw URLError(.badURL) }
        return url
    }
}

extension NetworkError {
    /// The codes of the error and of its underlying errors, outermost first.
    package var codes: [Code] {
        [code] + ((underlyingError as? NetworkError)?.codes ?? [])
    }
}

extension SerializedResponse {
    /// The codes of the error and of its underlying errors; empty without an error.
    package var codes: [NetworkError.Code] { error?.codes ?? [] }
}
