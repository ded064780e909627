import FerrySession

extension NetworkError {
    /// Decodes what the server said about the error.
    ///
    /// ```swift
    /// let problem = try error.decodedBody(as: Problem.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to make from the body.
    ///   - decoder: The decoder; by default one with the usual settings.
    /// - Returns: The value.
    /// - Throws: `DecodingError` if there is no body or it does not fit.
    public func decodedBody<T: Decodable>(as type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decode(type, from: data ?? Data())
    }
}
