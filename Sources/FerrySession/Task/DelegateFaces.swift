/// A delegate under each of its protocols: casts are too slow to repeat for every event.
///
/// It is a class, since every event has it along and a copy would count each protocol's reference.
final class DelegateFaces: Sendable {
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
