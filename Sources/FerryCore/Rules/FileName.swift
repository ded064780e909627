/// Functions that make file names from the names that servers suggest.
public enum FileName {
    /// The longest name that most file systems accept, in bytes.
    public static let maximumByteCount = 255
    /// The name used if no usable one was suggested.
    public static let fallback = "download"

    /// Returns a safe file name for a response's body, from `Content-Disposition` or else from the URL's path.
    ///
    /// It is one path component; ``fallback`` if there is no usable name.
    public static func suggested(by response: URLResponse?) -> String {
        let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
        if let name = field.flatMap({ ContentDisposition($0)?.safeFileName() }) { return name }
        guard let path = response?.url?.path, !path.hasSuffix("/") else { return fallback }
        return sanitized((path as NSString).lastPathComponent)
    }

    /// Returns a text as one safe path component that is neither empty nor hidden; ``fallback`` if nothing is left.
    ///
    /// Directories before the last slash or backslash are dropped, as are control characters, leading dots, and white
    /// space at both ends. A name longer than 255 bytes is shortened at the end of its stem and keeps its extension.
    public static func sanitized(_ name: String) -> String { component(name) ?? fallback }

    /// Returns a text as one safe path component, or `nil` if nothing is left of it.
    package static func component(_ name: String, maximumByteCount: Int = maximumByteCount) -> String? {
        // Both separators end a component: servers on Windows send complete paths.
        let scalars = name.unicodeScalars
        let start = scalars.lastIndex { $0 == "/" || $0 == "\\" }.map(scalars.index(after:)) ?? scalars.startIndex
        let kept = String.UnicodeScalarView(scalars[start...].filter(isAllowed))
        let visible = trimmed(kept[...]).drop { $0 == "." || $0.properties.isWhitespace }
        let result = trimmed(shortened(visible, to: maximumByteCount))
        return result.isEmpty ? nil : String(Substring(result))
    }

    private typealias Scalars = Substring.UnicodeScalarView

    /// Returns the text without white space at both ends.
    private static func trimmed(_ text: Scalars) -> Scalars {
        // Not with `dropLast()`, which counts the rest each time.
        let end = text.lastIndex { !$0.properties.isWhitespace }.map(text.index(after:)) ?? text.startIndex
        return text[..<end].drop(while: \.properties.isWhitespace)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters include those that reverse the reading order and thus disguise an extension.
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func shortened(_ name: Scalars, to maximumByteCount: Int) -> Scalars {
        guard Substring(name).utf8.count > maximumByteCount else { return name }
        var dot = name.lastIndex(of: ".") ?? name.endIndex
        // A suffix as long as a name is not an extension, and neither is a whole name.
        if dot == name.startIndex || Substring(name[dot...]).utf8.count > 32 { dot = name.endIndex }
        let tail = name[dot...]
        return prefix(of: name[..<dot], byteCount: maximumByteCount - Substring(tail).utf8.count) + tail
    }

    /// Returns as many whole characters as fit; if the first one is too long, as many of its scalars as fit.
    ///
    /// Going back from the end by characters would take quadratic time with flags and long runs of marks.
    private static func prefix(of text: Scalars, byteCount: Int) -> Scalars {
        var size = 0
        var end = text.startIndex
        while end < text.endIndex, size + UTF8.width(text[end]) <= byteCount {
            size += UTF8.width(text[end])
            end = text.index(after: end)
        }
        guard end < text.endIndex else { return text }
        // The scalar after the end determines whether the last character is whole.
        let window = Substring(text[..<text.index(after: end)])
        var whole = window.startIndex
        for index in window.indices where index <= end { whole = index }
        return whole > window.startIndex ? text[..<whole] : text[..<end]
    }
}
