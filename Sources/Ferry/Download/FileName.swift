import FerrySession

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
        if let name = field.flatMap({ ContentDisposition($0)?.fileName }), let name = usable(name) { return name }
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
        usable(name) ?? fallback
    }

    private static func usable(_ name: String) -> String? {
        let components = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: (components.last ?? "".unicodeScalars[...]).filter(isAllowed))
        let visible = String(kept).trimmingCharacters(in: .whitespacesAndNewlines).drop { $0 == "." || $0 == " " }
        let result = shortened(String(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
        return result.isEmpty ? nil : result
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters include those that reverse the reading order and so disguise an extension.
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        var tail = name[dot...]
        // An extension as long as a name is none.
        if tail.utf8.count > 32 { tail = "" }
        var stem = tail.isEmpty ? name[...] : name[..<dot]
        while stem.utf8.count + tail.utf8.count > maximumByteCount { stem.removeLast() }
        return String(stem + tail)
    }
}
