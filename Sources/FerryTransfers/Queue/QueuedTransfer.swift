/// The state of a transfer of a ``TransferQueue`` at one moment.
public struct QueuedTransfer: Sendable, Identifiable, Hashable {
    /// The kind of a transfer.
    public enum Kind: String, Sendable, Hashable {
        /// Fetches a URL to a file.
        case download
        /// Sends a file to a URL.
        case upload
    }

    /// The state of a transfer.
    public enum State: Sendable, Hashable {
        /// It waits for its turn.
        case waiting
        /// It is running in this process, or waits for the time of its next attempt.
        case running
        /// It waits until it is resumed.
        case paused
        /// It has ended, and its file is complete.
        case finished
        /// It has ended with an error, which the text describes.
        case failed(String)
    }

    /// The number of the transfer, from 1; no other transfer of the queue ever has it.
    public let id: Int
    /// The kind of the transfer.
    public var kind: Kind
    /// The URL of the request.
    public var url: URL
    /// The destination of a download, or the file that is uploaded.
    public var file: URL
    /// The state of the transfer.
    public var state: State
    /// The priority; transfers with a greater one begin first.
    public var priority: Int
    /// The bytes that have been transferred, also by earlier processes.
    public var progress: TransferProgress
}

extension QueuedTransfer: RedactedDescription {
    /// The number, the kind and the state of the transfer, and its URL without secrets.
    public var description: String { "\(id): \(kind.rawValue) \(url.presentableText), \(state)" }
}

/// An error of a ``TransferQueue``.
public enum TransferQueueError: Error, Sendable, Hashable {
    /// Another process, or another queue of this process, runs the transfers of the folder.
    case isRunning(path: String)
    /// There is no transfer with this number.
    case unknownTransfer(Int)
    /// A transfer cannot be kept, because of a field of its request or its file; the text names it.
    case invalidTransfer(String)
    /// The folder or a file in it cannot be used, with the error number of the system, such as `ENOSPC`.
    case file(path: String, code: Int32, reason: String)
}

extension TransferQueueError: DescribedError {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .isRunning(let path): "\(path): another process runs the transfers of this queue"
        case .unknownTransfer(let id): "The queue has no transfer \(id)"
        case .invalidTransfer(let reason): reason
        case .file(let path, _, let reason): "\(path): \(reason)"
        }
    }

    init(_ error: FileError) { self = .file(path: error.path, code: error.code, reason: error.reasonText) }
}
