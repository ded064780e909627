import FerrySession

/// Which `URLSession` a manager runs on.
public enum SessionTransport: Sendable {
    /// Ferry's own session, with its default options.
    case curl

    /// What ``curl(options:)`` makes.
    case curlWithOptions(CurlSession.Options)

    /// The system's session: on Linux that of FoundationNetworking, with its limitations.
    case system

    /// A session made by a function, which must give it the delegate and the queue.
    case session(@Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession)

    /// Makes a session.
    func makeSession(
        configuration: URLSessionConfiguration,
        delegate: any URLSessionDelegate,
        delegateQueue: OperationQueue
    ) -> URLSession {
        switch self {
        case .curl:
            Self.makeCurlSession(configuration, CurlSession.Options(), delegate, delegateQueue)
        case .curlWithOptions(let options):
            Self.makeCurlSession(configuration, options, delegate, delegateQueue)
        case .system:
            URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        case .session(let make):
            make(configuration, delegate, delegateQueue)
        }
    }

    /// Makes a session that delivers several events in one operation: a manager adds none of its own between them.
    private static func makeCurlSession(
        _ configuration: URLSessionConfiguration,
        _ options: CurlSession.Options,
        _ delegate: any URLSessionDelegate,
        _ delegateQueue: OperationQueue
    ) -> CurlSession {
        CurlSession(
            configuration: configuration,
            options: options,
            delegate: delegate,
            delegateQueue: delegateQueue,
            deliversInBatches: true
        )
    }

    /// Whether its sessions hold servers to a security policy; nil if that is not known before there is one.
    var enforcesPolicies: Bool? {
        switch self {
        case .curl, .curlWithOptions: true
        case .system: false
        case .session: nil
        }
    }

    /// Ferry's own session, with options of choice.
    public static func curl(options: CurlSession.Options) -> SessionTransport {
        .curlWithOptions(options)
    }
}
