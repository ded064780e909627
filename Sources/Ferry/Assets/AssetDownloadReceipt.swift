import Foundation

/// A receipt to cancel one request for an asset, without the other requests that share its download.
///
/// AFNetworking: `AFImageDownloadReceipt`.
public struct AssetDownloadReceipt: Sendable, Hashable, Identifiable {
    /// The identifier of this request.
    public let id: UUID

    /// The task that downloads the asset for all requests that share it; only the downloader should cancel it.
    public let task: URLSessionDataTask

    /// The key of the download.
    let key: String

    /// Returns a Boolean value that indicates whether both receipts belong to the same request.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// The order in which waiting downloads start.
///
/// AFNetworking: `AFImageDownloadPrioritization`.
public enum AssetDownloadPrioritization: Sendable, Hashable {
    /// The download that has waited longest starts first.
    case fifo

    /// The newest download starts first.
    case lifo
}
