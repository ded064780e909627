/// Makes names of files from what servers suggest.
public enum FileName {
    /// The longest name most file systems take, in bytes.
    public static let maximumByteCount = 255

    /// The name used where nothing usable was suggested.
    public static let fallback = "download"

    /// The name for a response's body: from `Content-Disposition`, else from the URL's path, made safe.
    ///
    /// - Parameter response: The response.
    /// - Returns: One path component.
    public static func suggested(by response: URLResponse?) -> String {
        let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
        if let name = field.flatMap({ ContentDisposition($0)?.safeFileName() }) { return name }
        guard let path = response?.url?.path, !path.hasSuffix("/") else { return fallback }
        return sanitized((path as NSString).lastPathComponent)
    }

    /// One safe path component made of a text.
    ///
    /// Directories before the last slash or backslash are dropped, as are control characters, leading dots, and blanks
    /// at both ends; a name beyond 255 bytes loses the end of its stem and keeps its extension.
    ///
    /// - Parameter name: Any text.
    /// - Returns: A name that is neither empty nor hidden; ``fallback`` if nothing is left.
    public static func sanitized(_ name: String) -> String {
        component(name) ?? fallback
    }

    /// One safe path component made of a text; nil if nothing is left of it.
    package static func component(_ name: String, maximumByteCount: Int = maximumByteCount) -> String? {
        // Both separators end a component: servers on Windows send whole paths.
        let components = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: (components.last ?? "".unicodeScalars[...]).filter(isAllowed))
        let visible = String(kept).trimmingCharacters(in: .whitespacesAndNewlines).drop { $0 == "." || $0 == " " }
        let short = shortened(String(visible), to: maximumByteCount)
        let result = short.trimmingCharacters(in: .whitespacesAndNewlines)
        return result.isEmpty ? nil : result
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters include those that reverse the reading order and so disguise an extension.
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func shortened(_ name: String, to maximumByteCount: Int) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        var tail = name[dot...]
        // An extension as long as a name is none.
        if tail.utf8.count > 32 { tail = "" }
        let stem = tail.isEmpty ? name[...] : name[..<dot]
        return prefix(of: stem, byteCount: maximumByteCount - tail.utf8.count) + tail
    }

    /// As many whole characters as fit; of a first one that is too long, as many of its marks.
    private static func prefix(of text: Substring, byteCount: Int) -> String {
        var whole = text
        while whole.utf8.count > byteCount { whole.removeLast() }
        guard whole.isEmpty else { return String(whole) }
        var scalars = text.unicodeScalars
        while scalars.reduce(0, { $0 + UTF8.width($1) }) > byteCount { scalars.removeLast() }
        return String(Substring(scalars))
    }
}
