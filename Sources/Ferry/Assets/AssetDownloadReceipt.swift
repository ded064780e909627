import FerrySession

/// What cancels one request for an asset, and none of those that wait for the same download.
///
/// AFNetworking: `AFImageDownloadReceipt`.
public struct AssetDownloadReceipt: Sendable, Hashable, Identifiable {
    /// What tells this request from others.
    public let id: UUID

    /// The task that downloads the asset, for all who asked for it; leave its life to the downloader.
    public let task: URLSessionDataTask

    /// What the download is known by.
    let key: String

    /// Whether both are of the same request.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// Which of the waiting downloads comes next.
///
/// AFNetworking: `AFImageDownloadPrioritization`.
public enum AssetDownloadPrioritization: Sendable, Hashable {
    /// The one that has waited longest.
    case fifo

    /// The one that came last.
    case lifo
}
