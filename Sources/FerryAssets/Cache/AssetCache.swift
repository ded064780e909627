/// A cache of decoded values by identifier.
///
/// AFNetworking: `AFImageCache`.
public protocol AssetCache<Value>: Sendable {
    /// The type of the cached values.
    associatedtype Value: Sendable

    /// Adds a value, replacing an earlier one with the same identifier.
    func add(_ value: Value, withIdentifier identifier: String)

    /// Removes a value, and returns whether there was one.
    @discardableResult
    func removeValue(withIdentifier identifier: String) -> Bool

    /// Removes all values, and returns whether there were any.
    @discardableResult
    func removeAll() -> Bool

    /// Returns the value with an identifier, or nil.
    func value(withIdentifier identifier: String) -> Value?
}

/// A cache of decoded values by the request they came from.
///
/// By default the identifier is the absolute URL, a digest of the fields `Authorization` and `Cookie` if the request
/// has one of them, and an additional identifier for variants such as the result of a filter.
///
/// AFNetworking: `AFImageRequestCache`.
public protocol AssetRequestCache<Value>: AssetCache {
    /// Returns whether a value should be cached; true by default.
    func shouldCache(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// Adds a value; does nothing for a request without a URL.
    func add(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String?)

    /// Removes a value, and returns whether there was one.
    @discardableResult
    func removeValue(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// Returns the value of a request, or nil.
    func value(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Value?
}

extension AssetRequestCache {
    /// Returns true, so that every value is cached.
    public func shouldCache(_: Value, for _: URLRequest, withAdditionalIdentifier _: String?) -> Bool { true }

    /// Adds a value under the request's URL.
    public func add(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) {
        if let key = request.assetIdentifier(identifier) { add(value, withIdentifier: key) }
    }

    /// Removes the value under the request's URL, and returns whether there was one.
    @discardableResult
    public func removeValue(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Bool {
        request.assetIdentifier(identifier).map { removeValue(withIdentifier: $0) } ?? false
    }

    /// Returns the value under the request's URL, or nil.
    public func value(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Value? {
        request.assetIdentifier(identifier).flatMap { value(withIdentifier: $0) }
    }
}

extension URLRequest {
    /// Returns the identifier of a request's value; nil if the request has no URL.
    func assetIdentifier(_ additional: String? = nil) -> String? {
        guard let url else { return nil }
        // The response may depend on the credentials.
        let fields = ["Authorization", "Cookie"].map { value(forHTTPHeaderField: $0) }
        let hasCredentials = fields.contains { $0 != nil }
        let digest = hasCredentials ? " " + SHA256Hash.hash(Data("\(fields)".utf8)).hexadecimal : ""
        // No URL has a line break.
        return url.absoluteString + digest + (additional.map { "\n" + $0 } ?? "")
    }
}
