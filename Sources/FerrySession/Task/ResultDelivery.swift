/// The delivery of a task's result: to the delegate, to a completion handler or to a stream.
enum ResultDelivery: Sendable {
    /// To the delegate, event by event.
    case delegate
    /// To a completion handler, with the body in memory.
    case data(@Sendable (Data?, ReceivedResponse?, (any Error)?) -> Void, isAsync: Bool)
    /// To a completion handler, with the body in a file; unless `isAsync`, the file is deleted when it returns.
    case download(@Sendable (URL?, ReceivedResponse?, (any Error)?) -> Void, isAsync: Bool)
    /// To a consumer that pulls the body. The end of a task that switches protocols also goes to the delegate, and the
    /// task fails if `refusal` returns an error for its response.
    case stream(ByteStream, refusal: (@Sendable (URLResponse) -> URLError?)? = nil)

    /// Delivers to a user's completion handler, with the body in memory.
    static func data(_ handler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> ResultDelivery {
        .data({ handler($0, $1?.value, $2) }, isAsync: false)
    }

    /// Delivers to a user's completion handler, with the body in a file.
    static func download(_ handler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) -> ResultDelivery {
        .download({ handler($0, $1?.value, $2) }, isAsync: false)
    }

    /// Whether an `async` function waits for the result, so that no particular queue is needed.
    var isAsync: Bool {
        switch self {
        case .delegate: false
        case .data(_, let isAsync), .download(_, let isAsync): isAsync
        case .stream: true
        }
    }

    var isDelegate: Bool { if case .delegate = self { true } else { false } }
}

/// A delegate cast to each of its protocols, since the casts are too slow to repeat for every event.
///
/// A class, so that passing it along with an event costs one retain instead of four.
final class DelegateCasts: Sendable {
    let task: (any URLSessionTaskDelegate)?
    let data: (any URLSessionDataDelegate)?
    let download: (any URLSessionDownloadDelegate)?
    let curl: (any CurlSessionDelegate)?
    let received: (any ReceivedResponseDelegate)?
    /// Whether there is no delegate; a delegate without methods for tasks may still be asked for a credential.
    let isEmpty: Bool
    /// The casts of the session's delegate, if these are of a task's own.
    let session: DelegateCasts?
    private let leavesData: Bool
    private let leavesFile: Bool

    /// Casts a delegate; `received` receives the response in its place.
    init(_ delegate: (any URLSessionDelegate)?, received: (any ReceivedResponseDelegate)? = nil) {
        isEmpty = delegate == nil
        task = delegate as? any URLSessionTaskDelegate
        data = task as? any URLSessionDataDelegate
        download = task as? any URLSessionDownloadDelegate
        curl = task as? any CurlSessionDelegate
        self.received = received ?? data as? any ReceivedResponseDelegate
        (session, leavesData, leavesFile) = (nil, false, false)
    }

    /// Makes the casts of a task's own delegate, in front of the session's.
    ///
    /// As in URLSession, events for which the own delegate has no methods go to the session's. Here that depends on the
    /// protocols that it conforms to. The body goes there only if `receivesBody`, so that no handler gets it.
    init(_ own: DelegateCasts, before session: DelegateCasts, receivesBody: Bool) {
        (isEmpty, self.session) = (own.isEmpty, session)
        (leavesData, leavesFile) = (receivesBody && own.data == nil, receivesBody && own.download == nil)
        task = own.task
        data = leavesData ? session.data : own.data
        received = leavesData ? session.received : own.received
        download = leavesFile ? session.download : own.download
        curl = own.curl ?? session.curl
    }

    /// Whether the session's delegate receives the body and the end of a task with this own delegate.
    func leavesBody(ofDownload isDownload: Bool) -> Bool {
        guard session != nil else { return isDownload ? download == nil : data == nil }
        return isDownload ? leavesFile : leavesData
    }
}
