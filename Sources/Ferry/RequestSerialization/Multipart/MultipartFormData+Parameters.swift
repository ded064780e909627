import FerrySession

extension MultipartFormData {
    /// Appends a part without a `Content-Type` for each parameter, named as in a form (`a[b]`, `a[]`).
    ///
    /// Data goes as it is, null as an empty part.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, or a type that encodes as one.
    ///   - encoding: How names and values are made.
    ///   - stringEncoding: The encoding of the values; names are UTF-8.
    /// - Throws: ``RequestSerializationError`` for an array without a key, or for text that the encoding lacks.
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
