import FerrySession

/// The files of finished downloads on their way from the session to their destination.
enum TemporaryFile {
    /// Moves a session's file before the session deletes it, by renaming it in its directory.
    ///
    /// - Returns: The new URL; nil if a hook has moved the file already.
    static func claim(_ location: URL) throws -> URL? {
        let place = location.deletingLastPathComponent()
            .appendingPathComponent("ferry-\(UUID().uuidString).download")
        guard rename(location.path, place.path) != 0 else { return place }
        let failure = FileError("rename", path: location.path)
        guard failure.code != ENOENT else { return nil }
        throw NetworkError(
            .fileError,
            message: "The downloaded file could not be kept: \(failure.description)",
            underlyingError: failure
        )
    }

    /// Removes a file that is no longer needed.
    static func discard(_ file: URL?) {
        guard let file else { return }
        unlink(file.path)
    }

    /// Returns the beginning of a file that contains the body of an error response.
    static func beginning(of file: URL, limit: Int) -> Data? {
        guard let file = try? RegularFile(reading: file.path, links: .refuse) else { return nil }
        return try? file.read(upToCount: limit)
    }
}
