import FerrySession

/// A downloaded file could not be moved to its destination; it is kept where it is.
///
/// It is the ``NetworkError/underlyingError`` of an error with ``NetworkError/Code/moveFailed``, and the payload of the
/// notification that a file could not be moved.
public struct DownloadMoveError: Error, Sendable, LocalizedError {
    /// Where the file is; it is the caller's to remove.
    public let temporaryURL: URL

    /// Where it should have gone.
    public let destinationURL: URL

    /// Why it could not.
    public let underlyingError: any Error

    /// The two places and the reason.
    public var errorDescription: String? {
        let reason = underlyingError.localizedDescription
        return "The file \(temporaryURL.path) could not be moved to \(destinationURL.path): \(reason)"
    }

    /// Reads the payload of ``Foundation/NSNotification/Name/downloadTaskDidFailToMoveFile``.
    ///
    /// - Parameter notification: The notification; one without this payload gives nil.
    public init?(_ notification: Notification) {
        guard let payload = notification.userInfo?[Self.payloadKey] as? DownloadMoveError else { return nil }
        self = payload
    }

    /// Makes an error.
    init(temporaryURL: URL, destinationURL: URL, underlyingError: any Error) {
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.underlyingError = underlyingError
    }

    /// The key of the payload in a notification.
    public static let payloadKey = "ferry.networking.download.move-error"
}
