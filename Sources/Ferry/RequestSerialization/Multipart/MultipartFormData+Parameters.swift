import Foundation

extension MultipartFormData {
    /// Appends a part without a `Content-Type` for each parameter, named as in a form (`a[b]`, `a[]`).
    ///
    /// Data is sent as it is, and null as an empty part unless ``QueryEncoding/nulls`` omits it.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, or a type that encodes as one.
    ///   - encoding: The encoding of the names and values.
    ///   - stringEncoding: The string encoding of the values; UTF-8 by default. Names are always UTF-8.
    /// - Throws: ``RequestSerializationError`` for an array or a set without a key, an array that cannot be joined with
    ///   commas, or characters that the string encoding cannot represent.
    public mutating func append(
        _ parameters: Parameters,
        encoding: QueryEncoding = QueryEncoding(),
        stringEncoding: String.Encoding = .utf8
    ) throws {
        for field in try encoding.fields(of: try parameters.value()) {
            let value: Data =
                switch field.value {
                case .none: Data()
                case .text(let text): try text.data(in: stringEncoding)
                case .data(let data): data
                case .joined(let texts): try texts.joined(separator: ",").data(in: stringEncoding)
                }
            append(value, name: field.key)
        }
    }
}
