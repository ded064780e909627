import FerrySession

extension URLRequest {
    /// The length the Content-Length field states.
    var contentLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The same request without the length of its body.
    var withoutContentLength: URLRequest {
        var copy = self
        copy.setValue(nil, forHTTPHeaderField: "Content-Length")
        return copy
    }
}
