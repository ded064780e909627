/// A delegate cast to each of its protocols, since the casts are too slow to repeat for every event.
///
/// A class, so that passing it along with an event costs one retain instead of four.
final class DelegateCasts: Sendable {
    let task: (any URLSessionTaskDelegate)?
    let data: (any URLSessionDataDelegate)?
    let download: (any URLSessionDownloadDelegate)?
    let metrics: (any CurlSessionMetricsDelegate)?

    init(_ delegate: (any URLSessionDelegate)?) {
        task = delegate as? any URLSessionTaskDelegate
        data = task as? any URLSessionDataDelegate
        download = task as? any URLSessionDownloadDelegate
        metrics = task as? any CurlSessionMetricsDelegate
    }

    var isEmpty: Bool { task == nil }
}
