/// A codable description of an HTTP manager: base URL, serializers and security policy.
///
/// ```swift
/// let saved = try JSONEncoder().encode(HTTPManagerDescriptor(manager))
/// let again = try JSONDecoder().decode(HTTPManagerDescriptor.self, from: saved)
///     .makeManager()
/// ```
///
/// Configuration, transport, queues, hooks, interceptors and the closures of serializers are not kept, because they are
/// code or belong to a process. The description contains the request serializer's header fields, so it is as
/// confidential as they are.
///
/// AFNetworking: `NSSecureCoding` of `AFHTTPSessionManager` and `AFHTTPRequestOperationManager`.
public struct HTTPManagerDescriptor: Codable, Sendable {
    /// The base URL for relative paths.
    public let baseURL: URL?

    /// The rules by which the manager trusts servers.
    public let securityPolicy: SecurityPolicy

    private let archivedRequestSerializer: ArchivedRequestSerializer
    private let archivedResponseSerializer: ArchivedSerializer

    /// The serializer that encodes the parameters.
    public var requestSerializer: any ConfigurableRequestSerializer { archivedRequestSerializer.serializer }

    /// The serializer that validates and parses the responses.
    public var responseSerializer: any ValidatingResponseSerializer { archivedResponseSerializer.serializer }

    /// Creates a description of a manager.
    ///
    /// - Parameter manager: The manager.
    /// - Throws: `NetworkError` with `NetworkError.Code.encodingFailed` if a serializer is not one of Ferry's for
    ///   forms, JSON, property lists, text, data or images, or a compound of those.
    public init(_ manager: HTTPSessionManager) throws(NetworkError) {
        guard let request = ArchivedRequestSerializer(manager.requestSerializer) else {
            throw .unarchivable(manager.requestSerializer)
        }
        guard let response = ArchivedSerializer(manager.responseSerializer) else {
            throw .unarchivable(manager.responseSerializer)
        }
        baseURL = manager.baseURL
        securityPolicy = manager.securityPolicy
        archivedRequestSerializer = request
        archivedResponseSerializer = response
    }

    /// Creates a description of an operation manager; throws the same errors as for an `HTTPSessionManager`.
    public init(_ manager: HTTPRequestOperationManager) throws(NetworkError) {
        try self.init(manager.sessionManager)
    }

    /// Decodes a description; throws a `DecodingError` if it is malformed, or the base URL is not a web address.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        baseURL = try container.decodeIfPresent(URL.self, forKey: .baseURL)
        guard baseURL?.isWebAddress ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .baseURL,
                in: container,
                debugDescription: "The base URL is not a web address"
            )
        }
        securityPolicy = try container.decode(SecurityPolicy.self, forKey: .securityPolicy)
        archivedRequestSerializer = try container.decode(
            ArchivedRequestSerializer.self,
            forKey: .archivedRequestSerializer
        )
        archivedResponseSerializer = try container.decode(ArchivedSerializer.self, forKey: .archivedResponseSerializer)
    }

    /// Makes a manager with the described settings; throws as `HTTPSessionManager.setSecurityPolicy(_:)` does.
    public func makeManager(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) throws(NetworkError) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        manager.requestSerializer = requestSerializer
        manager.responseSerializer = responseSerializer
        try manager.setSecurityPolicy(securityPolicy)
        return manager
    }

    /// Makes an operation manager with the described settings; throws as ``makeManager(configuration:transport:)``.
    public func makeOperationManager(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) throws(NetworkError) -> HTTPRequestOperationManager {
        .init(sessionManager: try makeManager(configuration: configuration, transport: transport))
    }
}

extension NetworkError {
    fileprivate static func unarchivable(_ serializer: Any) -> NetworkError {
        NetworkError(.encodingFailed, message: "A \(type(of: serializer)) cannot be archived")
    }
}

extension HTTPManagerDescriptor: RedactedDescription {
    /// The base URL, without secrets.
    public var description: String { "a manager for " + (baseURL?.presentableText ?? "any URL") }
}
