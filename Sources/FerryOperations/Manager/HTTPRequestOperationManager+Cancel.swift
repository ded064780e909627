extension HTTPRequestOperationManager {
    /// Cancels all operations in the ``operationQueue``.
    public func cancelAllOperations() { operationQueue.cancelAllOperations() }

    /// Cancels the HTTP operations in the ``operationQueue`` for a method and a path.
    ///
    /// - Parameters:
    ///   - method: The method; nil for all.
    ///   - path: The path below the base URL, or an absolute URL. Its query is compared only if it has one.
    public func cancelOperations(method: HTTPMethod? = nil, path: String) {
        guard let wanted = try? BaseURL.resolve(path, against: baseURL) else { return }
        for case let operation as RequestOperation in operationQueue.operations {
            let request = operation.request
            guard let url = request.url?.absoluteURL, url.isSameResource(as: wanted) else { continue }
            guard method == nil || method?.rawValue == request.httpMethod ?? "GET" else { continue }
            operation.cancel()
        }
    }
}

extension URL {
    private var hostName: String? { host().map { (try? URLHost($0))?.name ?? $0.lowercased() } }

    /// Returns whether scheme, host, port and path are equal, and the query too if `other` has one.
    fileprivate func isSameResource(as other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && hostName == other.hostName && port == other.port
            && path().encodedInUpperCase == other.path().encodedInUpperCase
            && (other.query() == nil || query()?.encodedInUpperCase == other.query()?.encodedInUpperCase)
    }
}

extension String {
    /// The text with percent-encoded bytes in upper case, which are equal in both cases (RFC 3986, section 6.2.2.1).
    fileprivate var encodedInUpperCase: String { replacing(/%[0-9a-fA-F]{2}/) { $0.output.uppercased() } }
}
