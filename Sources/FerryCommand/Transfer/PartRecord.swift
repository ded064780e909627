import Ferry

/// What is known of the file that a partial one belongs to; it lies beside it as JSON.
struct PartRecord: Codable, Equatable, Sendable {
    /// The URL that was asked for, without credentials.
    var url: String

    /// What `If-Range` compares (RFC 9110, section 13.1.5); `nil` for a file that cannot be continued.
    var validator: String?

    /// The length of the whole, where it is known.
    var length: Int64?

    init(url: String, validator: String?, length: Int64?) {
        self.url = url
        self.validator = validator
        self.length = length
    }

    /// Reads the record at `path`, or answers `nil` where there is none that can be read.
    init?(contentsOf path: String) {
        let most = 1_048_576
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: most) else {
            return nil
        }
        guard let record = try? JSONDecoder().decode(PartRecord.self, from: data) else { return nil }
        self = record
    }

    /// Replaces the record at `path` in one step; it is for its owner alone, since URLs may hold secrets.
    func write(to path: String) throws(CommandFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            throw CommandFailure(.file, "\(path): the record cannot be encoded")
        }
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(temporary, "cannot be created", errno: errno) }
        defer { close(descriptor) }
        try FileDescriptor.writeAll(data, to: descriptor, path: temporary)
        guard rename(temporary, path) == 0 else { throw .file(path, "cannot be replaced", errno: errno) }
    }
}
