import FerrySession

/// The actions of a ``RecordingDelegate`` in addition to recording; with a `nil` hook it behaves like a delegate
/// without that method.
package struct DelegateHooks: Sendable {
    package typealias Disposition = URLSession.ResponseDisposition
    package typealias Redirection =
        @Sendable (
            URLSessionTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void
        ) -> Void

    package var onResponse:
        (@Sendable (URLSessionDataTask, URLResponse, @escaping @Sendable (Disposition) -> Void) -> Void)?
    package var onData: (@Sendable (URLSessionDataTask, Data) -> Void)?
    package var onBecome: (@Sendable (URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    package var onRedirect: Redirection?
    package var onSent: (@Sendable (URLSessionTask, Int64) -> Void)?
    package var onBodyStream: (@Sendable (URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void)?
    package var onWrote: (@Sendable (URLSessionDownloadTask, Int64) -> Void)?
    package var onFinishedDownload: (@Sendable (URLSessionDownloadTask, URL) -> Void)?
    package var onCompleted: (@Sendable (URLSessionTask, (any Error)?) -> Void)?
    package var onInvalid: (@Sendable (URLSession) -> Void)?
    /// Whether bodies are kept; large ones are only counted.
    package var keepsData = true

    package init() {}

    /// Returns hooks that wait at a gate for every piece of data, and keep none.
    package static func blocking(_ gate: Gate) -> DelegateHooks {
        var hooks = DelegateHooks()
        hooks.keepsData = false
        hooks.onData = { _, _ in if !gate.isOpen { gate.wait() } }
        return hooks
    }
}
