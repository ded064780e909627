import Ferry
import HTTPTypes

extension URLRequest {
    /// Creates a `URLRequest` from a request of HTTPTypes.
    ///
    /// The URL is made of the pseudo fields, all of which are required. Several fields of the same name become one
    /// field with a list (RFC 9110, section 5.3; for `Cookie`, RFC 9113, section 8.2.3), because a `URLRequest` has one
    /// field for each name.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body; `nil` for none.
    /// - Throws: ``HTTPTypesError`` for a request that a session could not send, or would send to the wrong server.
    public init(_ request: HTTPRequest, body: Data? = nil) throws(HTTPTypesError) {
        self.init(url: try Self.url(of: request))
        httpMethod = request.method.rawValue
        httpBody = body
        var values: [(name: HTTPField.Name, value: String)] = []
        var positions: [HTTPField.Name: Int] = [:]
        for field in request.headerFields {
            let value = try Self.value(of: field)
            if let position = positions[field.name] {
                values[position].value += (field.name == .cookie ? "; " : ", ") + value
            } else {
                positions[field.name] = values.count
                values.append((field.name, value))
            }
        }
        for (name, value) in values { setValue(value, forHTTPHeaderField: name.rawName) }
    }

    private static func value(of field: HTTPField) throws(HTTPTypesError) -> String {
        // `HTTPField.value` would replace bytes that are not UTF-8.
        let text = field.withUnsafeBytesOfValue { String(validating: $0, as: UTF8.self) }
        guard let text else { throw .invalidFieldValue(name: field.name.rawName) }
        return text
    }

    private static func url(of request: HTTPRequest) throws(HTTPTypesError) -> URL {
        guard request.method != .connect, request.extendedConnectProtocol == nil else { throw .connectIsNotSupported }
        guard let scheme = request.scheme else { throw .missingPseudoField(":scheme") }
        guard let authority = request.authority else { throw .missingPseudoField(":authority") }
        guard let path = request.path else { throw .missingPseudoField(":path") }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            throw .invalidPseudoField(":scheme", value: scheme)
        }
        // Otherwise the authority `example.com` and the path `.example.org/` would form the URL of another server.
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(UInt8(ascii: "#")) else {
            throw .invalidPseudoField(":path", value: withoutQuery(path))
        }
        // User information is not allowed here (RFC 9113, section 8.3.1), and its value may be secret.
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw .invalidPseudoField(":authority", value: "it contains an @")
        }
        guard !authority.isEmpty, !authority.utf8.contains(where: { "/?#\\".utf8.contains($0) }) else {
            throw .invalidPseudoField(":authority", value: authority)
        }
        let text = "\(scheme)://\(authority)\(path)"
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.host?.isEmpty == false else {
            throw .invalidURL(withoutQuery(text))
        }
        return url
    }

    /// Errors are logged, and a query may contain secrets.
    private static func withoutQuery(_ text: String) -> String { String(text.prefix { $0 != "?" }) }
}

extension HTTPRequest {
    /// Creates a request of HTTPTypes; the body is not part of it.
    ///
    /// The fields are sorted by name, because a `URLRequest` has no order of fields. The fragment of the URL is not
    /// part of a request.
    ///
    /// - Parameter request: The request, with an absolute URL.
    /// - Throws: ``HTTPTypesError`` for a value that a request of HTTPTypes cannot contain.
    public init(_ request: URLRequest) throws(HTTPTypesError) {
        let name = request.httpMethod ?? "GET"
        guard let method = Method(name) else { throw .invalidMethod(name) }
        guard method != .connect else { throw .connectIsNotSupported }
        guard let url = request.url?.absoluteURL, let scheme = url.scheme,
            ["http", "https"].contains(scheme.lowercased()),
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.encodedHost,
            !host.isEmpty
        else { throw .invalidURL(request.url?.scheme.map { "one with the scheme \($0)" } ?? "none") }
        guard parts.user == nil, parts.password == nil else { throw .userInformationInURL(host: host) }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.init(
            method: method,
            scheme: scheme.lowercased(),
            authority: parts.port.map { "\(host):\($0)" } ?? host,
            path: parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path,
            headerFields: try HTTPFields(
                (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
            )
        )
    }
}

extension HTTPFields {
    /// Creates fields from Ferry's fields, in the same order; fields of the same name stay separate.
    ///
    /// - Parameter fields: The fields, such as `HTTPURLResponse.headerFields`.
    /// - Throws: ``HTTPTypesError`` for a name or value that HTTPTypes would refuse or change.
    public init(_ fields: some Sequence<HTTPHeader>) throws(HTTPTypesError) {
        let fields = Array(fields)
        self.init()
        guard fields.count < UInt16.max else { throw .tooManyFields(fields.count) }
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { throw .invalidFieldName(field.name) }
            guard HTTPField.isValidValue(field.value) else { throw .invalidFieldValue(name: field.name) }
            append(HTTPField(name: name, value: field.value))
        }
    }
}
