import Ferry

/// A file of URLs, one on each line; empty lines and those that begin with `#` are left out.
enum BatchFile {
    /// The URLs in a file; `-` stands for standard input.
    static func urls(in name: String) throws(CommandFailure) -> [URL] {
        try urls(String(decoding: UploadBody.content(name), as: UTF8.self), of: name)
    }

    /// The URLs in a text; an error names the line.
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
