import FerrySession

/// What a ``RecordingDelegate`` does in addition to recording; for a `nil` hook it behaves like a delegate without the
/// method.
struct DelegateHooks: Sendable {
    typealias Disposition = URLSession.ResponseDisposition

    var onResponse: (@Sendable (URLSessionDataTask, URLResponse, @escaping @Sendable (Disposition) -> Void) -> Void)?
    var onData: (@Sendable (URLSessionDataTask, Data) -> Void)?
    var onBecome: (@Sendable (URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    var onRedirect: (@Sendable (URLSessionTask, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void)?
    var onSent: (@Sendable (URLSessionTask, Int64) -> Void)?
    var onBodyStream: (@Sendable (URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void)?
    var onWrote: (@Sendable (URLSessionDownloadTask, Int64) -> Void)?
    var onFinishedDownload: (@Sendable (URLSessionDownloadTask, URL) -> Void)?
    var onCompleted: (@Sendable (URLSessionTask, (any Error)?) -> Void)?
    var onInvalid: (@Sendable (URLSession) -> Void)?
}
