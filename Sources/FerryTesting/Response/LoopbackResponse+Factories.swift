import Foundation

extension LoopbackResponse {
    /// Returns a response with a status and no body.
    public static func status(_ status: Int, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// Returns UTF-8 text as `text/plain`.
    public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns bytes with a content type; nil for none.
    public static func data(_ data: Data, contentType: String? = nil, status: Int = 200) -> LoopbackResponse {
        LoopbackResponse(
            status: status,
            headers: contentType.map { ["Content-Type": $0] } ?? [:],
            body: .data(data)
        )
    }

    /// Returns JSON text as `application/json`.
    public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// Returns a value as `application/json` with sorted keys; the status is 500 if it cannot be encoded.
    public static func json(encoding value: some Encodable, status: Int = 200) -> LoopbackResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return .data(try encoder.encode(value), contentType: "application/json", status: status)
        } catch {
            return .text("Not encodable: \(error)", status: 500)
        }
    }

    /// Returns the first `count` bytes of the pattern as `application/octet-stream`, generated while they are sent.
    public static func pattern(count: Int) -> LoopbackResponse {
        LoopbackResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .pattern(count: max(0, count))
        )
    }

    /// Returns a file as `application/octet-stream`, read while it is sent.
    public static func file(_ url: URL) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": "application/octet-stream"], body: .file(url))
    }

    /// Returns a redirect; `location` may be relative.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Location": location])
    }

    /// Returns a response whose body `write` sends, one chunk per call.
    public static func stream(
        contentType: String = "application/octet-stream",
        _ write: @escaping @Sendable (LoopbackBodyStream) -> Void
    ) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": contentType], body: .stream(write))
    }

    /// A connection that is closed without a response.
    public static let empty = LoopbackResponse().faulted(.closeBeforeHead)
}
