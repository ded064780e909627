extension TaskOutcome {
    /// Moves a downloaded file to its destination, and sets the response's URL or error.
    ///
    /// If the response has an error, the file is removed, and its beginning is stored in the error.
    func settleFile<Value>(
        in response: inout TaskResponse<Value>,
        destination: DownloadDestination?,
        _ notifications: NotificationPoster
    ) {
        guard let file = temporaryFile else {
            // The hook has moved the file itself.
            if response.error == nil { response.fileURL = hookDestination }
            return
        }
        if var error = response.error {
            error.data = error.data ?? TemporaryFile.beginning(of: file)
            response.error = error
            return TemporaryFile.discard(file)
        }
        guard let place = hookDestination ?? destination?.resolver(file, self.response.response) else {
            return TemporaryFile.discard(file)
        }
        // The options are those of the task: a destination that a hook returned is never overwritten.
        let options = hookDestination == nil ? destination?.options ?? [] : []
        do {
            try FilePublisher(options: options).publish(file, at: place)
            response.fileURL = place
            notifications.post(.downloadTaskDidMoveFile, object: task)
        } catch {
            let failure = DownloadMoveError(
                temporaryURL: endRecord == nil ? file : TemporaryFile.keep(file),
                destinationURL: place,
                underlyingError: error,
                // A destination that a hook returns has no options.
                isOptional: hookDestination == nil
            )
            response.error = NetworkError(
                .moveFailed,
                message: failure.localizedDescription,
                response: response.httpResponse,
                underlyingError: failure
            )
            notifications.post(.downloadTaskDidFailToMoveFile, object: task, userInfo: failure.userInfo)
        }
    }
}

/// The files of finished downloads on their way from the session to their destination.
enum TemporaryFile {
    /// The largest part, in bytes, that is kept of the body of an error response.
    static let errorBodyLimit = 1 << 20
    /// Renames a session's file before the session deletes it; returns nil if a hook has moved it already.
    static func claim(_ location: URL) throws -> URL? {
        let place = location.deletingLastPathComponent()
            .appendingPathComponent("ferry-\(UUID.random.uuidString).download", isDirectory: false)
        guard rename(location.path, place.path) != 0 else { return place }
        let failure = FileError("rename", path: location.path)
        guard failure.code != ENOENT else { return nil }
        throw NetworkError(
            .fileError,
            message: "The downloaded file could not be kept: \(failure.description)",
            underlyingError: failure
        )
    }

    /// Renames a file that the caller must remove, so that the next durable session in its folder does not remove it.
    static func keep(_ file: URL) -> URL {
        let place = file.appendingPathExtension("unmoved")
        return rename(file.path, place.path) == 0 ? place : file
    }

    /// Removes a file that is no longer needed.
    static func discard(_ file: URL) { unlink(file.path) }

    /// Returns the beginning of a file that contains the body of an error response.
    static func beginning(of file: URL) -> Data? {
        guard let file = try? RegularFile(reading: file.path, links: .refuse) else { return nil }
        return try? file.read(upToCount: errorBodyLimit)
    }
}

/// An error that a downloaded file could not be moved to its destination; the file is kept.
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

    /// Whether the destination has options.
    var isOptional = false

    /// A sentence with both paths, the reason, and the option that helps, if there is one.
    public var errorDescription: String? {
        var reason = underlyingError.localizedDescription
        if let file = underlyingError as? FileError, file.path == destinationURL.path {
            // Its own description would repeat the path.
            reason = file.reasonText
            if isOptional, file.code == EEXIST { reason += " (the option .overwrite replaces it)" }
            if isOptional, file.code == ENOENT {
                reason += " (the option .createIntermediateDirectories creates missing directories)"
            }
        }
        return "The file \(temporaryURL.path) could not be moved to \(destinationURL.path): \(reason)"
    }

    /// The key of the payload in a notification.
    public static let payloadKey = "ferry.networking.download.move-error"
}

extension DownloadMoveError: CustomNSError {
    /// The description, the paths and the underlying error, with the keys of the error of
    /// `FileManager.moveItem(at:to:)`.
    public var errorUserInfo: [String: Any] {
        [
            NSLocalizedDescriptionKey: errorDescription ?? "", NSLocalizedFailureReasonErrorKey: errorDescription ?? "",
            NSUnderlyingErrorKey: underlyingError,
            "NSFilePath": temporaryURL.path, "NSDestinationFilePath": destinationURL.path,
        ]
    }

    /// The error's ``errorUserInfo`` and the payload.
    var userInfo: [AnyHashable: Any] { errorUserInfo.merging([Self.payloadKey: self]) { $1 } }

    /// Reads the payload of ``Foundation/NSNotification/Name/downloadTaskDidFailToMoveFile``; nil for any other.
    public init?(_ notification: Notification) {
        guard let payload = notification.userInfo?[Self.payloadKey] as? DownloadMoveError else { return nil }
        self = payload
    }
}
