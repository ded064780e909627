import FerrySession

/// The files of finished downloads between the session's hands and their destination.
enum TemporaryFile {
    /// Takes a session's file away before the session deletes it, by renaming it in its directory.
    ///
    /// - Returns: Where it is now; nil if a hook has taken the file already.
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

    /// Removes a file that nobody wants.
    static func discard(_ file: URL?) {
        guard let file else { return }
        unlink(file.path)
    }

    /// Reads the beginning of a file that turned out to be an error's body.
    static func beginning(of file: URL, limit: Int) -> Data? {
        guard let file = try? RegularFile(reading: file.path, links: .refuse) else { return nil }
        return try? file.read(upToCount: limit)
    }
}
