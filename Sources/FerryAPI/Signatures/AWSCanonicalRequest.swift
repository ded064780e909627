/// The text of a request that AWS Signature Version 4 signs; the server makes the same from the received request.
package struct AWSCanonicalRequest: Sendable {
    package let text: String
    /// The names of the fields in it, as in the `Authorization` field.
    package let signedHeaders: String

    /// Makes the text of a request, whose path and query are as they are sent.
    ///
    /// The payload is the digest of the body in hexadecimal digits, or a text in its place, such as `UNSIGNED-PAYLOAD`.
    /// All services but S3 normalize the path and encode it again.
    package init(
        method: String,
        target: String,
        fields: [(name: String, value: String)],
        payload: String,
        encodesPathTwice: Bool
    ) {
        let parts = target[...].utf8.cut(at: "?")
        let path = parts?.before ?? target[...].utf8
        var values: [String: [String]] = [:]
        for field in fields where !Self.unsignedNames.contains(field.name.folded) {
            // Sequential blanks count as one space.
            let words = field.value[...].utf8.split(whereSeparator: \.isBlank).map(\.string)
            values[field.name.folded, default: []].append(words.joined(separator: " "))
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }
        signedHeaders = names.joined(separator: ";")
        text = [
            method,
            encodesPathTwice
                ? Self.normalized(path).percentEncoded(keeping: Self.unreserved + "/") : Self.encodedOnce(path),
            Self.query(parts?.after ?? ""[...].utf8),
            lines.joined(),
            signedHeaders,
            payload,
        ].joined(separator: "\n")
    }

    /// The fields that the client's libcurl or a proxy may set or change on the way, as in AWS's own clients.
    private static let unsignedNames: Set<String> = [
        "accept-encoding", "authorization", "cache-control", "connection", "content-length", "expect", "from",
        "keep-alive", "max-forwards", "pragma", "proxy-authorization", "referer", "te", "trailer",
        "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    /// Returns the path without segments of dots (RFC 3986, section 5.2.4) and without empty segments.
    private static func normalized(_ path: Substring.UTF8View) -> [UInt8] {
        var kept: [Substring.UTF8View] = []
        for segment in path.parts(between: "/") where !segment.isEmpty && !segment.elementsEqual(".".utf8) {
            if segment.elementsEqual("..".utf8) { _ = kept.popLast() } else { kept.append(segment) }
        }
        if path.last == UInt8(ascii: "/") { kept.append(""[...].utf8) }
        return [UInt8(ascii: "/")] + kept.joined(separator: "/".utf8)
    }

    /// Returns the path with each of its segments encoded once, however it is written.
    private static func encodedOnce(_ path: Substring.UTF8View) -> String {
        path.parts(between: "/").map { $0.percentDecoded().percentEncoded(keeping: unreserved) }.joined(separator: "/")
    }

    /// Returns the items of a query, encoded and sorted by name and value.
    private static func query(_ query: Substring.UTF8View) -> String {
        var items: [(name: String, value: String)] = []
        for item in query.parts(between: "&") where !item.isEmpty {
            let parts = item.cut(at: "=")
            let (name, value) = (parts?.before ?? item, parts?.after ?? ""[...].utf8)
            let bytes = (name.percentDecoded(plusIsSpace: true), value.percentDecoded(plusIsSpace: true))
            items.append((bytes.0.percentEncoded(keeping: unreserved), bytes.1.percentEncoded(keeping: unreserved)))
        }
        return items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// The characters besides letters and digits that are not encoded (RFC 3986, section 2.3).
    private static let unreserved = "-._~"
}
