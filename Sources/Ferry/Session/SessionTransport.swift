import FerrySession

/// The kind of `URLSession` that a manager runs on.
public enum SessionTransport: Sendable {
    /// Ferry's session, with its default options.
    case curl

    /// Ferry's session with options, as ``curl(options:)`` returns it.
    case curlWithOptions(CurlSession.Options)

    /// The system's session: on Linux, that of FoundationNetworking with its limitations.
    case system

    /// A session made by a function, which must create it with the given delegate and queue.
    case session(@Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession)

    /// Returns a new session.
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

    /// Returns a session that delivers several events in one operation; a manager adds no operations in between.
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

    /// Whether the sessions enforce a security policy; nil if that is unknown until one has been made.
    var enforcesPolicies: Bool? {
        switch self {
        case .curl, .curlWithOptions: true
        case .system: false
        case .session: nil
        }
    }

    /// Returns Ferry's session with the given options.
    public static func curl(options: CurlSession.Options) -> SessionTransport {
        .curlWithOptions(options)
    }
}
