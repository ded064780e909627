import FerrySession

/// Keeps decoded values by identifier.
///
/// AFNetworking: `AFImageCache`.
public protocol AssetCache<Value>: Sendable {
    /// What is kept.
    associatedtype Value: Sendable

    /// Keeps a value, in the place of an earlier one with the same identifier.
    func add(_ value: Value, withIdentifier identifier: String)

    /// Removes a value, and says whether there was one.
    @discardableResult
    func removeValue(withIdentifier identifier: String) -> Bool

    /// Removes all values, and says whether there was one.
    @discardableResult
    func removeAll() -> Bool

    /// The value with an identifier, or nil.
    func value(withIdentifier identifier: String) -> Value?
}

/// Keeps decoded values by the request they came from.
///
/// By default the identifier is the absolute URL, with an additional one behind it for variants such as a filter's
/// result.
///
/// AFNetworking: `AFImageRequestCache`.
public protocol AssetRequestCache<Value>: AssetCache {
    /// Says whether a value is to be kept; by default every one is.
    func shouldCache(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// Keeps a value; a request without a URL keeps nothing.
    func add(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String?)

    /// Removes a value, and says whether there was one.
    @discardableResult
    func removeValue(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// The value of a request, or nil.
    func value(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Value?
}

extension AssetRequestCache {
    /// Keeps every value.
    public func shouldCache(
        _ value: Value,
        for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    )
        -> Bool
    { true }

    /// Keeps a value under the request's URL.
    public func add(_ value: Value, for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) {
        if let key = request.assetIdentifier(identifier) { add(value, withIdentifier: key) }
    }

    /// Removes the value under the request's URL, and says whether there was one.
    @discardableResult
    public func removeValue(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Bool {
        request.assetIdentifier(identifier).map { removeValue(withIdentifier: $0) } ?? false
    }

    /// The value under the request's URL, or nil.
    public func value(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Value? {
        request.assetIdentifier(identifier).flatMap { value(withIdentifier: $0) }
    }
}

extension URLRequest {
    /// What a request's value is known by.
    fileprivate func assetIdentifier(_ additional: String?) -> String? {
        url.map { $0.absoluteString + (additional ?? "") }
    }
}
