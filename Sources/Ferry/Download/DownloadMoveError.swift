import Foundation

/// An error that a downloaded file could not be moved to its destination; the file stays where it is.
///
/// It is the ``NetworkError/underlyingError`` of an error with ``NetworkError/Code/moveFailed``, and the payload of the
/// notification that a file could not be moved.
public struct DownloadMoveError: Error, Sendable, LocalizedError {
    /// The URL of the file, which the caller must remove.
    public let temporaryURL: URL

    /// The URL that the file should have been moved to.
    public let destinationURL: URL

    /// The reason why the file could not be moved.
    public let underlyingError: any Error

    /// A sentence with both paths and the reason.
    public var errorDescription: String? {
        let reason = underlyingError.localizedDescription
        return "The file \(temporaryURL.path) could not be moved to \(destinationURL.path): \(reason)"
    }

    /// Reads the payload of ``Foundation/NSNotification/Name/downloadTaskDidFailToMoveFile``.
    ///
    /// - Parameter notification: The notification; the result is nil if it has another payload.
    public init?(_ notification: Notification) {
        guard let payload = notification.userInfo?[Self.payloadKey] as? DownloadMoveError else { return nil }
        self = payload
    }

    /// Creates an error.
    init(temporaryURL: URL, destinationURL: URL, underlyingError: any Error) {
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.underlyingError = underlyingError
    }

    /// The key of the payload in a notification.
    public static let payloadKey = "ferry.networking.download.move-error"
}
