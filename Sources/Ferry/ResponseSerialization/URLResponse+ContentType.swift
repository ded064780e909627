import FerrySession

extension URLResponse {
    /// The content type in lowercase, without parameters and spaces; nil if there is none.
    ///
    /// FoundationNetworking has an empty `mimeType` for an empty field, and keeps spaces before the semicolon.
    var contentType: String? {
        guard let type = mimeType, !type.isEmpty else { return nil }
        // Nearly all types are already in this form, and trimming with Foundation is slow.
        let isPlain = type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0) }
        if isPlain { return type }
        let trimmed = type.trimmingCharacters(in: .whitespaces).lowercased()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The character encoding that the content type names; nil if it names none or an unknown one.
    ///
    /// FoundationNetworking's `textEncodingName` ignores a parameter whose name is not in lowercase.
    package var declaredEncoding: String.Encoding? {
        let field = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
        let name = field.flatMap(ContentTypeField.charset) ?? textEncodingName
        return name.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'")) }.flatMap(
            Charset.encoding(named:)
        )
    }
}
