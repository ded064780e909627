import FerrySession

/// Which `URLSession` a manager runs on.
public enum SessionTransport: Sendable {
    /// Ferry's own session.
    case curl

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
        case .curl, .system:
            URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        case .session(let make):
            make(configuration, delegate, delegateQueue)
        }
    }
}
