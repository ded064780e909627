import FerrySession

/// Moves a finished file to its destination, so that a complete file appears there or none.
struct FilePublisher: Sendable {
    /// How to deal with what is there.
    let options: DownloadDestination.Options

    /// Moves a file.
    func publish(_ file: URL, at destination: URL) throws {
        guard destination.isFileURL else {
            throw NetworkError(.fileError, message: "The destination \(destination.presentableText) is not a file URL")
        }
        if options.contains(.createIntermediateDirectories) {
            let directory = destination.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        do {
            try move(file.path, to: destination.path)
        } catch let error as FileError where error.code == EXDEV {
            try copyBeside(file, destination: destination)
        }
    }

    private func move(_ source: String, to destination: String) throws {
        if options.contains(.overwrite) {
            guard rename(source, destination) == 0 else { throw FileError("rename to", path: destination) }
            return
        }
        // A link, unlike a rename, never replaces what is there.
        if link(source, destination) == 0 {
            unlink(source)
            return
        }
        let error = FileError("link to", path: destination)
        guard [EPERM, ENOTSUP, EMLINK, ENOSYS].contains(error.code) else { throw error }
        try reserveAndMove(source, to: destination)
    }

    /// For file systems without links: an empty file reserves the name, then the rename replaces it.
    private func reserveAndMove(_ source: String, to destination: String) throws {
        try RegularFile(creating: destination).close()
        guard rename(source, destination) == 0 else {
            let error = FileError("rename to", path: destination)
            unlink(destination)
            throw error
        }
    }

    private func copyBeside(_ file: URL, destination: URL) throws {
        let copy = destination.deletingLastPathComponent().appendingPathComponent(".ferry-\(UUID().uuidString).part")
        do {
            try FileManager.default.copyItem(at: file, to: copy)
            try move(copy.path, to: destination.path)
        } catch {
            unlink(copy.path)
            throw error
        }
        unlink(file.path)
    }
}
