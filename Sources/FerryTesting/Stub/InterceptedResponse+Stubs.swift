extension InterceptedResponse {
    /// Returns a response with a status and no body.
    public static func status(_ statusCode: Int, headers: [String: String] = [:]) -> InterceptedResponse {
        InterceptedResponse(statusCode: statusCode, headers: headers)
    }

    /// Returns UTF-8 text as `text/plain`.
    public static func text(_ text: String, statusCode: Int = 200) -> InterceptedResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", statusCode: statusCode)
    }

    /// Returns JSON text as `application/json`.
    public static func json(_ text: String, statusCode: Int = 200) -> InterceptedResponse {
        .data(Data(text.utf8), contentType: "application/json", statusCode: statusCode)
    }

    /// Returns a value as `application/json` with sorted keys.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder; one with sorted keys by default.
    ///   - statusCode: The status code.
    /// - Returns: The response.
    /// - Throws: An `EncodingError`.
    public static func json(
        encoding value: some Encodable,
        by encoder: JSONEncoder? = nil,
        statusCode: Int = 200
    ) throws -> InterceptedResponse {
        let standard = JSONEncoder()
        standard.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .data(try (encoder ?? standard).encode(value), contentType: "application/json", statusCode: statusCode)
    }

    /// Returns bytes with a content type; nil for none.
    public static func data(_ data: Data, contentType: String? = nil, statusCode: Int = 200) -> InterceptedResponse {
        InterceptedResponse(
            statusCode: statusCode,
            headers: contentType.map { ["Content-Type": $0] } ?? [:],
            body: data
        )
    }

    /// Returns a redirect; `location` may be relative.
    public static func redirect(to location: String, statusCode: Int = 302) -> InterceptedResponse {
        InterceptedResponse(statusCode: statusCode, headers: ["Location": location])
    }

    /// Returns the response with an additional header field.
    public func adding(_ name: String, _ value: String) -> InterceptedResponse {
        var copy = self
        copy.additionalHeaders.append((name, value))
        return copy
    }
}
