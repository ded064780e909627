import FerrySession

extension URLResponse {
    /// The content type without parameters and spaces, in lower case; nil if there is none.
    ///
    /// FoundationNetworking gives an empty `mimeType` for an empty field and keeps blanks before the semicolon.
    var contentType: String? {
        guard let type = mimeType?.trimmingCharacters(in: .whitespaces).lowercased(), !type.isEmpty else { return nil }
        return type
    }
}
