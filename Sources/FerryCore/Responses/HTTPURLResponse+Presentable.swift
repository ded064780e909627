extension HTTPURLResponse {
    /// The response without secrets in its description, and without user and password in its URL.
    ///
    /// Errors and notifications contain it, and are printed. CurlSession's responses need no copy.
    package var presentable: HTTPURLResponse {
        guard let url, !(self is CurlHTTPResponse || self is PresentableHTTPResponse) else { return self }
        var fields: [String: String] = [:]
        for (name, value) in allHeaderFields { fields["\(name)"] = "\(value)" }
        let copy = PresentableHTTPResponse(
            url: url.presentable,
            statusCode: statusCode,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        // The initializer is declared as failable, but does not fail for these arguments.
        return copy ?? self
    }

    /// The URL, status and header fields, without secrets.
    package var presentableDescription: String {
        let fields = allHeaderFields.map { ("\($0.key)", "\($0.value)") }.sorted { $0.0 < $1.0 }
        let lines = fields.map { "\n  \($0): \(PresentableText.field($0, $1))" }
        return "<HTTPURLResponse \(statusCode) \(url?.presentableText ?? "")\(lines.joined())>"
    }
}

/// A copy of a system session's response whose description has no secrets.
///
/// `@unchecked Sendable` like its superclass: it has no properties.
private final class PresentableHTTPResponse: HTTPURLResponse, CustomReflectable, @unchecked Sendable {
    package override var classForCoder: AnyClass { HTTPURLResponse.self }
    package override var description: String { presentableDescription }
    package var customMirror: Mirror {
        Mirror(self, children: ["description": description], ancestorRepresentation: .suppressed)
    }
}
