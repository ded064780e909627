extension HTTPMessageSignature {
    /// A part of a request that a signature covers (RFC 9421, section 2).
    ///
    /// A literal is the name of a header field, or of a derived component such as `"@method"`.
    public struct Component: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The name, in lower case.
        public let name: String
        private var parameter: String?

        /// Creates a component from the name of a header field, or of a derived component.
        public init(_ name: String) { self.name = name.lowercased() }

        /// Creates a component from the name of a header field, or of a derived component.
        public init(stringLiteral name: String) { self.init(name) }

        /// The method.
        public static let method = Component("@method")
        /// The whole URL, without a fragment.
        public static let targetURI = Component("@target-uri")
        /// The host, and the port if it is not the default one.
        public static let authority = Component("@authority")
        /// The scheme: `http` or `https`.
        public static let scheme = Component("@scheme")
        /// The path.
        public static let path = Component("@path")
        /// The query with its question mark; without a query, the question mark alone.
        public static let query = Component("@query")
        /// The digest of the body (RFC 9530), which the signer adds to a request that does not have it.
        public static let contentDigest = Component("content-digest")

        /// The value of an item of the query; a name that is there more than once cannot be signed.
        public static func queryParameter(_ name: String) -> Component {
            var component = Component("@query-param")
            component.parameter = name
            return component
        }

        /// Returns the identifier, such as `"@query-param";name="id"`.
        package func identifier() throws -> String {
            let name = try StructuredField.string(name)
            guard let parameter else { return name }
            return try "\(name);name=\(StructuredField.string(Self.formEncoded(parameter)))"
        }

        /// Returns the value in a request; throws if the request does not have the component, or has it twice.
        package func value(in request: SignableRequest) throws -> String {
            let parts = request.target[...].utf8.cut(at: "?")
            switch name {
            case "@method": return request.method
            case "@target-uri": return "\(Self.scheme(of: request))://\(Self.authority(of: request))\(request.target)"
            case "@authority": return Self.authority(of: request)
            case "@scheme": return Self.scheme(of: request)
            case "@path": return parts?.before.string ?? request.target
            case "@query": return "?" + (parts?.after.string ?? "")
            case "@query-param":
                let values = (parts?.after.parts(between: "&") ?? []).filter { !$0.isEmpty }.compactMap(item)
                if values.count == 1 { return values[0] }
            default:
                if let value = request.value(forHTTPHeaderField: name) { return value }
            }
            let text = try identifier()
            throw RequestSerializationError(.invalidHeader, reason: "The request has no \(text) that can be signed.")
        }

        /// Returns the value of an item of the query if it has the name.
        private func item(_ item: Substring.UTF8View) -> String? {
            let parts = item.cut(at: "=")
            let name = Self.formDecoded(parts?.before ?? item)
            guard let parameter, name.utf8.elementsEqual(parameter.utf8) else { return nil }
            return Self.formEncoded(Self.formDecoded(parts?.after ?? ""[...].utf8))
        }

        private static func scheme(of request: SignableRequest) -> String { request.url.scheme?.folded ?? "" }

        private static func authority(of request: SignableRequest) -> String {
            let host = (request.value(forHTTPHeaderField: "host") ?? "").lowercased()
            let port = scheme(of: request) == "https" ? ":443" : ":80"
            return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
        }

        private static func formDecoded(_ text: Substring.UTF8View) -> String {
            String(decoding: text.percentDecoded(plusIsSpace: true), as: UTF8.self)
        }

        /// Returns text as section 2.2.8 requires: percent-encoded as in forms, but with `%20` for a space.
        private static func formEncoded(_ text: String) -> String { text.utf8.percentEncoded(keeping: "*-._") }
    }
}
