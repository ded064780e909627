import Ferry

/// The opened destination of one transfer.
enum Target {
    case stream(StreamOutput)
    case part(PartFile)
    /// A file whose name is not known until the response arrives.
    case unnamed

    /// Opens a destination.
    ///
    /// An existing file that is not a regular file, such as a device, is written to directly; a link is followed.
    init(_ destination: Destination, url: URL, continues: Bool) throws(CommandFailure) {
        switch destination {
        case .standardOutput: self = .stream(.standard)
        case .remoteName:
            if continues, let name = FileName.unfinished(url) {
                self = .part(try PartFile(name))
            } else {
                self = .unnamed
            }
        case .file(let path):
            var info = stat()
            guard stat(path, &info) == 0 else {
                self = .part(try PartFile(path))
                return
            }
            switch info.st_mode & S_IFMT {
            case S_IFREG:
                let resolved = realpath(path, nil)
                defer { free(resolved) }
                self = .part(try PartFile(resolved.map { String(cString: $0) } ?? path))
            case S_IFDIR: throw .file(path, "cannot be written", errno: EISDIR)
            default: self = .stream(try StreamOutput(path: path))
            }
        }
    }

    /// Throws an error if the partial file to continue belongs to another URL.
    func checkOrigin(_ url: URL) throws(CommandFailure) {
        guard let (part, record) = continuation, record.url != url.withoutCredentials else { return }
        throw CommandFailure(
            .file,
            "\(part.partPath): it was started from \(PresentableText.url(record.url)); omit --continue to start over"
        )
    }

    /// The partial file with its record, or `nil` if there is none that can be continued.
    var continuation: (part: PartFile, record: PartRecord)? {
        guard case .part(let part) = self, let record = part.continuation else { return nil }
        return (part, record)
    }
}
