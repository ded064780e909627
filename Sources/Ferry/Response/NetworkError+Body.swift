import Foundation

extension NetworkError {
    /// Decodes the body that the server sent with the error.
    ///
    /// ```swift
    /// let problem = try error.decodedBody(as: Problem.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder; by default one with the default settings.
    /// - Returns: The value.
    /// - Throws: `DecodingError` if there is no body or it does not match the type.
    public func decodedBody<T: Decodable>(as type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decode(type, from: data ?? Data())
    }
}
