/// Content types (RFC 6838) by file name extension.
public enum MIMEType {
    /// The type of bytes nothing is known about.
    public static let octetStream = "application/octet-stream"

    /// The content type of files with that extension, or ``octetStream`` for one that is not known.
    ///
    /// - Parameter pathExtension: The extension, in any case, with or without its dot.
    /// - Returns: A type such as `image/png`.
    public static func forExtension(_ pathExtension: String) -> String {
        let key = pathExtension.lowercased()
        return table[key.hasPrefix(".") ? String(key.dropFirst()) : key] ?? octetStream
    }
}
