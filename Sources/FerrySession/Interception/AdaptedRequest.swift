/// A request that ``ImmediateRequestInterceptor``s change before it is sent.
///
/// The header fields that are set are kept beside the request, which makes them cheap: a `URLRequest` that differs from
/// the task's only by its fields would be a copy of it. Other properties are changed through ``urlRequest``.
public struct AdaptedRequest: Sendable {
    /// The request without ``fields``.
    private(set) var base: URLRequest
    /// The header fields that were set; each replaces the field of the same name in `base`.
    private(set) var fields: [HeaderField] = []
    /// Whether `base` may differ from the request that the value was made with.
    private(set) var isBaseChanged = false

    /// Makes a value for a request that is not changed yet.
    public init(_ request: URLRequest) { base = request }

    /// Makes a value for a request that is used instead of the task's.
    init(replacing request: URLRequest) { (base, isBaseChanged) = (request, true) }

    /// The URL of the request.
    public var url: URL? { base.url }

    /// The request with all changes.
    ///
    /// Use it to change more than header fields. The body is ignored: the task sends the body that it was made with.
    public var urlRequest: URLRequest {
        get { base.setting(fields) }
        set {
            base = newValue
            fields = []
            isBaseChanged = true
        }
    }

    /// Returns the value of a header field, whose name is compared without regard to case.
    public func value(forHTTPHeaderField name: String) -> String? {
        fields.first { $0.name.isEqualIgnoringCase(name) }?.value ?? base.value(forHTTPHeaderField: name)
    }

    /// Sets a header field, replacing one of the same name, or removes it if the value is `nil`.
    ///
    /// The task fails with `URLError.badURL` if the name or the value cannot be sent.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        fields.removeAll { $0.name.isEqualIgnoringCase(name) }
        if let value {
            // Two interceptors that set a field each are common.
            if fields.isEmpty { fields.reserveCapacity(2) }
            fields.append((name, value))
        } else if base.url != nil, base.value(forHTTPHeaderField: name) != nil {
            base.setValue(nil, forHTTPHeaderField: name)
            isBaseChanged = true
        }
    }
}

extension URLRequest {
    /// Returns the request with these fields, which replace its fields of the same names.
    func setting(_ fields: [HeaderField]) -> URLRequest {
        // Foundation traps on Linux when it copies a request without a URL, which is never sent.
        if fields.isEmpty || url == nil { return self }
        // Assigned in one step, since `setValue(_:forHTTPHeaderField:)` changes the case of names and drops some
        // values.
        var all = allHTTPHeaderFields ?? [:]
        for (name, value) in fields {
            for old in all.keys where old.isEqualIgnoringCase(name) { all[old] = nil }
            all[name] = value
        }
        var request = self
        request.allHTTPHeaderFields = all
        return request
    }
}

extension AdaptedRequest: RedactedDescription {
    /// The method and the URL, without secrets.
    public var description: String { base.presentableText }
}
