extension URLRequest {
    /// Returns the request's URL, or throws if it has none.
    ///
    /// Call this before any change to the request: Foundation traps on Linux when it copies a request without a URL.
    @discardableResult
    package func requiredURL() throws -> URL {
        if let url { return url }
        throw RequestSerializationError(.invalidURL, reason: "The request has no URL.")
    }

    /// Whether the request has a body, as data or as a stream.
    package var hasBody: Bool { httpBody != nil || httpBodyStream != nil }

    /// Sets the body, and also the `Content-Type` unless the request has one.
    package mutating func setBody(_ body: Data, contentType: String) throws {
        try addMissingHeaders([.contentType(contentType)])
        httpBody = body
    }
}

// Fields are assigned in one step: Foundation's `setValue(_:forHTTPHeaderField:)` silently drops some values, changes
// the case of names, and takes several times as long.
extension URLRequest {
    /// Sets one field, replacing the request's field of the same name.
    package mutating func setHeader(_ field: HTTPHeader) throws { try setHeaders([field]) }

    /// Sets each field, replacing the request's field of the same name; duplicates in the list are joined.
    package mutating func setHeaders(_ headers: HTTPHeaders) throws {
        try change(headers) { fields, new in fields.replace(new) }
    }

    /// Adds each field unless the request has one of the same name already.
    package mutating func addMissingHeaders(_ headers: HTTPHeaders) throws {
        try change(headers) { fields, new in
            if !fields.keys.contains(where: new.isNamed) { fields[new.name] = new.value }
        }
    }

    private mutating func change(
        _ headers: HTTPHeaders,
        with change: (_ fields: inout [String: String], _ new: HTTPHeader) -> Void
    ) throws {
        guard !headers.isEmpty else { return }
        try headers.validate()
        var fields = allHTTPHeaderFields ?? [:]
        fields.reserveCapacity(fields.count + headers.count)
        for field in headers.combined() { change(&fields, field) }
        allHTTPHeaderFields = fields
    }
}

extension [String: String] {
    /// Sets a field, replacing the one of the same name in any case.
    fileprivate mutating func replace(_ field: HTTPHeader) {
        if let old = keys.first(where: field.isNamed), old != field.name { self[old] = nil }
        self[field.name] = field.value
    }
}
