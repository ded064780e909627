/// The kind of `URLSession` that a manager runs on.
public enum SessionTransport: Sendable {
    /// Ferry's session with the given options.
    case curl(options: CurlSession.Options)

    /// The system's session: on Linux, that of FoundationNetworking with its limitations.
    case system

    /// A session made by a function, which must create it with the given delegate and queue.
    case session(@Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession)

    /// Ferry's session, with its default options.
    public static var curl: SessionTransport { .curl(options: CurlSession.Options()) }

    /// Whether the session keeps tasks for the next process.
    var isDurable: Bool { if case .curl(let options) = self { options.durability != nil } else { false } }

    /// The transport of another manager with the same options: only one session can use a durable one's folder.
    package var ofCopies: SessionTransport {
        guard case .curl(var options) = self else { return self }
        options.durability = nil
        return .curl(options: options)
    }

    func makeSession(
        _ configuration: URLSessionConfiguration,
        _ delegate: any URLSessionDelegate,
        _ queue: OperationQueue
    ) -> URLSession {
        switch self {
        case .curl(let options):
            // Several events are delivered in one operation: a manager adds no operations in between.
            CurlSession(
                configuration: configuration,
                options: options,
                delegate: delegate,
                delegateQueue: queue,
                deliversInBatches: true
            )
        case .system: URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        case .session(let make): make(configuration, delegate, queue)
        }
    }
}

extension URLSession {
    /// Whether this is FoundationNetworking's session, some of whose faults the managers work around.
    var isFoundationNetworking: Bool { type(of: self) == URLSession.self }

    /// The session of refused requests, whose tasks are real and cancelled before they can run.
    static let refusals = URLSession(configuration: .ephemeral)
}

extension URLSessionTask {
    /// Whether this is a task of Ferry's session, which reports when it is resumed and suspended.
    var isOfCurlSession: Bool { self is CurlDataTask || self is CurlUploadTask || self is CurlDownloadTask }

    /// Whether this is a task of FoundationNetworking's session.
    var isFoundationNetworking: Bool {
        [URLSessionDataTask.self, URLSessionUploadTask.self, URLSessionDownloadTask.self].contains {
            type(of: self) == $0
        }
    }
}
