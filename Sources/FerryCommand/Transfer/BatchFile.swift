import Ferry

/// Reads files of URLs, one per line; empty lines and lines that begin with `#` are ignored.
enum BatchFile {
    /// Returns the URLs in a file; `-` means standard input.
    static func urls(in name: String) throws(CommandFailure) -> [URL] {
        try urls(String(decoding: UploadBody.content(name), as: UTF8.self), of: name)
    }

    /// Returns the URLs in a text; an error names the file and the line.
    static func urls(_ text: String, of name: String) throws(CommandFailure) -> [URL] {
        var urls: [URL] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(UsageError) {
                urls.append(try URLArgument.parse(line))
            } catch {
                throw CommandFailure(.usage, "\(name), line \(index + 1): \(error.message)")
            }
        }
        return urls
    }
}
