/// Content types (RFC 6838) by file name extension.
public enum MIMEType {
    /// The content type of data of an unknown kind.
    public static let octetStream = "application/octet-stream"

    /// Returns the content type for a file name extension, or ``octetStream`` if the extension is unknown.
    ///
    /// - Parameter pathExtension: The extension, in any case, with or without its dot.
    /// - Returns: A type such as `image/png`.
    public static func forExtension(_ pathExtension: String) -> String {
        let key = pathExtension.lowercased()
        return table[key.hasPrefix(".") ? String(key.dropFirst()) : key] ?? octetStream
    }
}
