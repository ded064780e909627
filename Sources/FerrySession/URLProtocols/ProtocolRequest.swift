/// A request whose body of data can also be read as a stream.
///
/// URLSession gives a body to protocol classes as `httpBodyStream`, and FoundationNetworking as `httpBody`; there are
/// classes that read only one of them. `httpBody` has precedence wherever Ferry reads a request.
final class ProtocolRequest: NSMutableURLRequest {
    private let stream = Mutex<StreamBox?>(nil)

    /// Returns the request with a body that can be read both ways, if it has a body of data.
    static func readable(_ request: URLRequest) -> URLRequest {
        guard let body = request.httpBody, !body.isEmpty, let url = request.url else { return request }
        return ProtocolRequest(url: url).setting(request as NSURLRequest) as URLRequest
    }

    override var httpBody: Data? {
        get { super.httpBody }
        set {
            super.httpBody = newValue
            stream.withLock { $0 = nil }
        }
    }

    /// The stream of the body; a new one from the first byte, if the last one was read to its end or closed.
    override var httpBodyStream: InputStream? {
        get {
            guard let body = httpBody else { return super.httpBodyStream }
            return stream.withLock { stream in
                if let stream, ![.atEnd, .closed].contains(stream.stream.streamStatus) { return stream }
                let new = StreamBox(InputStream(data: body))
                stream = new
                return new
            }.stream
        }
        set { super.httpBodyStream = newValue }
    }

    // MARK: - Copies

    /// Archives name FoundationNetworking's class, so that they can be read without Ferry.
    override var classForCoder: AnyClass { NSMutableURLRequest.self }

    override func copy(with zone: NSZone? = nil) -> Any { mutableCopy(with: zone) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        ProtocolRequest(url: url ?? URL(fileURLWithPath: "/")).setting(self)
    }

    private func setting(_ other: NSURLRequest) -> ProtocolRequest {
        url = other.url
        mainDocumentURL = other.mainDocumentURL
        cachePolicy = other.cachePolicy
        timeoutInterval = other.timeoutInterval
        httpMethod = other.httpMethod
        allHTTPHeaderFields = other.allHTTPHeaderFields
        networkServiceType = other.networkServiceType
        allowsCellularAccess = other.allowsCellularAccess
        httpShouldHandleCookies = other.httpShouldHandleCookies
        if let body = other.httpBody { httpBody = body } else { httpBodyStream = other.httpBodyStream }
        return self
    }

    // MARK: - Comparison
    //
    // The stream of a body of data is not compared, unless one of FoundationNetworking's requests is on the left: their
    // comparison cannot be changed.

    /// A request of FoundationNetworking's class.
    private var plain: NSURLRequest? { url == nil ? nil : super.mutableCopy(with: nil) as? NSURLRequest }

    override func isEqual(_ object: Any?) -> Bool {
        let other = (object as? ProtocolRequest)?.plain ?? object
        return plain?.isEqual(other) ?? (object as AnyObject? === self)
    }

    override var hash: Int { plain?.hash ?? 0 }
}
