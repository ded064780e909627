import Foundation

extension URLRequest {
    /// The length that the `Content-Length` field states, if it is valid.
    var contentLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The request without its `Content-Length` field.
    var withoutContentLength: URLRequest {
        var copy = self
        copy.setValue(nil, forHTTPHeaderField: "Content-Length")
        return copy
    }
}
