/// A response whose `HTTPURLResponse` is made on first use.
///
/// Making it takes longer than everything else the engine does with a head, and every task waits for the engine's
/// thread. For an `async` caller, the caller's thread makes it instead.
package final class ReceivedResponse: Sendable {
    private enum State: Sendable {
        case head(ResponseHead, URL, isDecoded: Bool)
        case made(URLResponse)
    }

    /// The length of the body, where it is known.
    package let expectedLength: ByteCount?
    private let state: Mutex<State>

    /// Makes a response from a head; `isDecoded` indicates whether its body is delivered decoded.
    package init(_ head: ResponseHead, url: URL, isDecoded: Bool) {
        expectedLength = CurlHTTPResponse.length(head, isDecoded: isDecoded)
        state = Mutex(.head(head, url, isDecoded: isDecoded))
    }

    package init(_ response: URLResponse) {
        expectedLength = ByteCount(response.expectedContentLength)
        state = Mutex(.made(response))
    }

    /// Whether the response is made.
    package var isMade: Bool { state.withLock { if case .made = $0 { true } else { false } } }

    /// The status code, read without making the response; `nil` if that is not HTTP.
    package var statusCode: Int? {
        state.withLock { state in
            switch state {
            case .head(let head, _, _): head.status
            case .made(let response): (response as? HTTPURLResponse)?.statusCode
            }
        }
    }

    /// Returns the value of a field, ignoring the case of the name, without making the response.
    package func value(forField name: String) -> String? {
        state.withLock { state in
            switch state {
            case .head(let head, _, _): head.joinedValue(name)
            case .made(let response): (response as? HTTPURLResponse)?.value(forHTTPHeaderField: name)
            }
        }
    }

    /// The number of body bytes to expect; `nil` if it is unknown.
    package var bodyLength: Int64? {
        let made: URLResponse? = state.withLock { if case .made(let response) = $0 { response } else { nil } }
        return made.map(\.bodyLength) ?? expectedLength?.int64
    }

    /// Makes the response now, unless another thread is making it.
    package func prebuild() { _ = state.withLockIfAvailable { Self.make(&$0) } }

    /// Adds the fields after the body, which have arrived last.
    package func add(_ trailers: [ResponseHead.Field]) {
        guard !trailers.isEmpty else { return }
        (value as? CurlHTTPResponse)?.trailers.withLock { $0 = trailers }
    }

    /// The response, which is always the same object.
    package var value: URLResponse { state.withLock { Self.make(&$0) } }

    private static func make(_ state: inout State) -> URLResponse {
        switch state {
        case .made(let response): return response
        case .head(let head, let url, let isDecoded):
            // The initializer is failable only by its signature.
            let response: URLResponse =
                CurlHTTPResponse(url: url, head: head, isDecoded: isDecoded)
                ?? URLResponse(url: url.presentable, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            state = .made(response)
            return response
        }
    }
}

/// An `HTTPURLResponse` that behaves as documented where FoundationNetworking's does not: it has an unknown length if
/// the body is decoded, and a safe file name.
package final class CurlHTTPResponse: HTTPURLResponse, CustomReflectable, @unchecked Sendable {
    // `@unchecked Sendable` like its superclass: only the trailers change after the initializer.
    /// The fields of the head, which the superclass joins; `nil` for a response from an archive.
    package let fields: [ResponseHead.Field]?
    /// The version of the protocol, as in the head; `nil` for a response from an archive.
    package let version: String?
    /// The fields after the body (RFC 9110, section 6.5).
    package let trailers = Mutex<[ResponseHead.Field]>([])
    private let length: ByteCount?
    private let contentType: String?
    private let disposition: String?

    /// Makes the response, whose URL has no user information because it is used in errors and notifications.
    package init?(url: URL, head: ResponseHead, isDecoded: Bool) {
        (fields, version) = (head.fields, head.version)
        length = Self.length(head, isDecoded: isDecoded)
        disposition = head.value("Content-Disposition")
        let (url, joined, known) = (url.presentable, head.joinedFields, StoredHeaderFields.known)
        contentType = joined["Content-Type"]
        let given = known == nil ? joined : nil
        super.init(url: url, statusCode: head.status, httpVersion: head.version, headerFields: given)
        known?.store(joined, in: self)
    }

    /// Makes a copy whose `allHeaderFields` lack a field; its ``fields`` have it.
    package init?(_ other: CurlHTTPResponse, url: URL, without name: String) {
        (fields, version) = (other.fields, other.version)
        (length, contentType, disposition) = (other.length, other.contentType, other.disposition)
        var joined = other.allHeaderFields as? [String: String] ?? [:]
        for key in joined.keys where key.isEqualIgnoringCase(name) { joined[key] = nil }
        super.init(url: url, statusCode: other.statusCode, httpVersion: other.version, headerFields: joined)
        let trailers = other.trailers.withLock { $0 }
        self.trailers.withLock { $0 = trailers }
    }

    /// Returns the length of the body as it is delivered, or `nil` if the head does not have it.
    package static func length(_ head: ResponseHead, isDecoded: Bool) -> ByteCount? {
        guard !isDecoded, !head.isChunked, let value = head.value("Content-Length") else { return nil }
        if let length = ByteCount(digits: value) { return length }
        // A list of equal values counts as one value (RFC 9112, section 6.3).
        return value.split(separator: ",").first.flatMap { ByteCount(digits: $0.utf8.trimmed.string) }
    }

    package required init?(coder: NSCoder) {
        (fields, version) = (nil, nil)
        (length, contentType, disposition) = (nil, nil, nil)
        super.init(coder: coder)
    }

    /// Archives name the public class, so that they can be read without Ferry.
    package override var classForCoder: AnyClass { HTTPURLResponse.self }
    /// The URL, status and header fields, without secrets.
    package override var description: String { presentableDescription }
    /// The description, since `dump` would print the values of the fields.
    package var customMirror: Mirror {
        Mirror(self, children: ["description": description], ancestorRepresentation: .suppressed)
    }
    package override var expectedContentLength: Int64 { length.transferSize }

    // Computed lazily, because few callers ask for the file name.
    package override var suggestedFilename: String? {
        disposition.flatMap { ContentDisposition($0)?.safeFileName() }
            ?? url.flatMap { FileName.component($0.lastPathComponent) } ?? "Unknown"
    }

    package override var textEncodingName: String? {
        // Foundation's does not find parameters in another letter case or with blanks before the semicolon.
        guard let name = value(forHTTPHeaderField: "Content-Type").flatMap(ContentTypeField.charset) else { return nil }
        return name.isEmpty ? nil : name.lowercased()
    }

    package override var mimeType: String? {
        // Foundation's may end with a blank.
        contentType.map(ContentTypeField.mediaType) ?? super.mimeType?.trimmingCharacters(in: .whitespaces)
    }
}

extension URLResponse {
    /// The number of body bytes to expect; `nil` if it is unknown, as for a body with a content coding.
    package var bodyLength: Int64? {
        guard expectedContentLength >= 0 else { return nil }
        // A response of Ferry's session has no expected length if its body is decoded.
        if self is CurlHTTPResponse { return expectedContentLength }
        let coding = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") ?? "identity"
        return coding.isEqualIgnoringCase("identity") ? expectedContentLength : nil
    }

    /// Whether a body may follow; if not, a length is for the response to GET (RFC 9110, section 8.6).
    package func hasBody(after request: URLRequest?) -> Bool {
        let status = (self as? HTTPURLResponse)?.statusCode
        return request?.httpMethod != "HEAD" && status != 204 && status != 304
    }
}
