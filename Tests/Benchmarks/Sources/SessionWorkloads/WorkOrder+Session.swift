extension WorkOrder {
    /// The body of uploads from memory.
    ///
    /// Zeroed pages that were never written are all the same page, which is always in the processor's cache.
    public var body: Data { Data(repeating: UInt8(ascii: "a"), count: bytes) }

    /// The configuration of a session with the order's number of connections.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        if let connections { configuration.httpMaximumConnectionsPerHost = connections }
        return configuration
    }

    /// The request of an upload.
    public var uploadRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        return request
    }

    /// Checks a response of which `count` bytes were received; returns nil if it is right.
    public func check(_ count: Int, _ response: URLResponse?, _ error: (any Error)?) -> (any Error)? {
        check(count, status: (response as? HTTPURLResponse)?.statusCode, error)
    }

    /// Checks a response with a status of which `count` bytes were received; returns nil if it is right.
    public func check(_ count: Int, status: Int?, _ error: (any Error)?) -> (any Error)? {
        error ?? BenchmarkError.response(status: status, bytes: count, expected: bytes)
    }

    /// Checks the response to an upload, which is the number of bytes received; returns nil if it is right.
    public func checkUpload(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> (any Error)? {
        if let error { return error }
        let status = (response as? HTTPURLResponse)?.statusCode
        let arrived = data.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        return BenchmarkError.response(status: status, bytes: arrived, expected: bytes)
    }
}
