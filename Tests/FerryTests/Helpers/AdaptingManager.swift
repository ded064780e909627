import Ferry

/// A manager whose requests a closure changes before their tasks are made, as a subclass may in `adapt(_:)`.
final class AdaptingManager: HTTPSessionManager, @unchecked Sendable {
    typealias Change = @Sendable (URLRequest) throws -> URLRequest

    private let change: Change

    init(baseURL: URL? = nil, transport: SessionTransport = .curl, change: @escaping Change) {
        self.change = change
        super.init(baseURL: baseURL, configuration: .ephemeral, transport: transport)
        notificationQueue = nil
    }

    override func adapt(_ request: URLRequest) throws -> URLRequest { try change(super.adapt(request)) }
}
