import FerrySession

extension URLRequest {
    /// The request as a curl command line for a POSIX shell, without secrets; see ``curlCommand(redacting:)``.
    public var curlCommand: String { curlCommand() }

    /// The request as a curl command line for a POSIX shell.
    ///
    /// Every argument is quoted. A body that is not text or comes from a stream is only named.
    ///
    /// Secrets are left out by default, so that the line may be logged; `curlCommand(redacting: .none)` gives one that
    /// works as it is, credentials and all.
    ///
    /// - Parameter redaction: What is left out; by default what ``Redaction`` lists.
    /// - Returns: One line, unless a body has several.
    public func curlCommand(redacting redaction: Redaction = Redaction()) -> String {
        var arguments = ["curl"]
        let method = httpMethod ?? "GET"
        switch method {
        case "GET" where httpBody == nil: break
        case "HEAD": arguments.append("--head")
        default: arguments += ["--request", Self.shellQuoted(method)]
        }
        for (name, value) in (allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown = redaction.value(value, of: name)
            // Only with a semicolon does curl send a field without a value.
            arguments += ["--header", Self.shellQuoted(shown.isEmpty ? "\(name);" : "\(name): \(shown)")]
        }
        if let httpBody {
            // The body must not be taken for the name of a file, which is what a leading @ means to --data.
            arguments += ["--data-raw", Self.shellQuoted(text(of: httpBody, redaction))]
        } else if httpBodyStream != nil {
            arguments += ["--data-binary", "@-"]
        }
        arguments.append(Self.shellQuoted(redaction.text(url)))
        return arguments.joined(separator: " ")
    }

    /// A text as one word of a POSIX shell.
    static func shellQuoted(_ text: String) -> String {
        // Byte by byte: looking for characters takes quadratic time with long runs of combining marks.
        var bytes = [UInt8(ascii: "'")]
        bytes.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes.append(contentsOf: "'\\'".utf8) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "'"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(of data: Data, _ redaction: Redaction) -> String {
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0),
            let shown = redaction.body(text, type: value(forHTTPHeaderField: "Content-Type"))
        else { return "<\(data.count) bytes>" }
        return shown
    }
}
