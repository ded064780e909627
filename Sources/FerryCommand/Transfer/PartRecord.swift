import Ferry

/// The record of a partial file, stored next to it as JSON.
struct PartRecord: Codable, Equatable, Sendable {
    /// The requested URL, without credentials.
    var url: String

    /// The validator for `If-Range` (RFC 9110, section 13.1.5); `nil` for a file that cannot be continued.
    var validator: String?

    /// The length of the complete file, if known.
    var length: Int64?

    init(url: String, validator: String?, length: Int64?) {
        self.url = url
        self.validator = validator
        self.length = length
    }

    /// The largest size of a record in bytes; most of it is the URL.
    private static let mostBytes = 1_048_576

    /// Returns the record at `path`, or `nil` if there is none.
    ///
    /// The file is not trusted: every field is checked before it is used in a request.
    static func read(_ path: String) throws(CommandFailure) -> PartRecord? {
        let data: Data
        do throws(FileError) {
            data = try RegularFile.contents(of: path, links: .refuse, limit: mostBytes)
        } catch {
            if error.code == ENOENT { return nil }
            throw .file(error, "cannot be read")
        }
        guard let record = try? JSONDecoder().decode(PartRecord.self, from: data) else {
            throw CommandFailure(.file, "\(path): it is damaged")
        }
        if let flaw = record.flaw { throw CommandFailure(.file, "\(path): \(flaw)") }
        return record
    }

    /// A description of the first invalid field, or `nil` if all are valid.
    private var flaw: String? {
        guard URL(string: url)?.isWebAddress == true else { return "its url is not an http or https URL" }
        guard validator.map(ContinuationRule.isValidator) ?? true else {
            return "its validator is neither a strong entity tag nor an HTTP date"
        }
        guard length.map({ $0 >= 0 }) ?? true else { return "its length is negative" }
        return nil
    }

    /// Replaces the record at `path` atomically; only its owner can read it, since URLs may contain secrets.
    func write(to path: String) throws(CommandFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            throw CommandFailure(.file, "\(path): the record cannot be encoded")
        }
        let temporary = path + ".new"
        unlink(temporary)
        do throws(FileError) {
            let file = try RegularFile(creating: temporary)
            try file.write(data)
            try file.close()
            guard rename(temporary, path) == 0 else { throw FileError("rename to", path: path) }
        } catch {
            throw .file(error, "cannot be replaced")
        }
    }
}
