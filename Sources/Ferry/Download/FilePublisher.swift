/// The move of a finished file to its destination, where it appears completely or not at all.
struct FilePublisher: Sendable {
    let options: DownloadDestination.Options

    func publish(_ file: URL, at destination: URL) throws {
        guard destination.isFileURL else {
            throw NetworkError(.fileError, message: "The destination \(destination.presentableText) is not a file URL")
        }
        if options.contains(.createIntermediateDirectories) {
            try createDirectory(destination.deletingLastPathComponent())
        }
        do {
            try move(file.path, to: destination.path)
        } catch let error as FileError where error.code == EXDEV {
            try copyBeside(file, destination: destination)
        }
    }

    private func createDirectory(_ directory: URL) throws {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            // Foundation's description has no reason, such as that a part of the path is a file.
            guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError else { throw error }
            throw FileError("mkdir", path: directory.path, code: cause.code.rawValue)
        }
    }

    private func move(_ source: String, to destination: String) throws {
        if options.contains(.overwrite) {
            try RegularFile.requireReplaceable(destination)
            // The file gets the permissions of the file that it replaces.
            if let permissions = RegularFile.permissions(of: destination) { chmod(source, permissions) }
            guard rename(source, destination) == 0 else { throw FileError("rename to", path: destination) }
            return
        }
        // Unlike `rename`, `link` never replaces an existing file.
        if link(source, destination) == 0 {
            unlink(source)
            return
        }
        let error = FileError("link to", path: destination)
        guard [EPERM, ENOTSUP, EMLINK, ENOSYS].contains(error.code) else { throw error }
        try reserveAndMove(source, to: destination)
    }

    /// Reserves the name with an empty file and renames over it, for file systems without links.
    private func reserveAndMove(_ source: String, to destination: String) throws {
        try RegularFile(creating: destination).close()
        guard rename(source, destination) == 0 else {
            let error = FileError("rename to", path: destination)
            unlink(destination)
            throw error
        }
    }

    private func copyBeside(_ file: URL, destination: URL) throws {
        let name = ".ferry-\(UUID.random.uuidString).part"
        let copy = destination.deletingLastPathComponent().appendingPathComponent(name)
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
