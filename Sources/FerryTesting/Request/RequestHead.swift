struct RequestHead: Equatable {
    enum BodyFraming: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method: String
    var target: String
    var version: String
    var headers: LoopbackHeaders
    var framing: BodyFraming

    var isVersion10: Bool { version == "HTTP/1.0" }

    /// Whether the client allows the connection to be reused (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        if headers.contains(token: "close", in: "Connection") { return false }
        return isVersion10 ? headers.contains(token: "keep-alive", in: "Connection") : true
    }

    var expectsContinue: Bool { !isVersion10 && headers.contains(token: "100-continue", in: "Expect") }
}

extension RequestHead {
    /// Parses the lines of a head, including the empty one that ends it (RFC 9112 sections 3 to 6).
    ///
    /// It is strict, in order to reveal a client's mistakes: bare line feeds, folded lines, whitespace before the
    /// colon, contradictory lengths and a missing `Host` are all refused.
    init(parsing bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        var lines = LineCursor(bytes)
        guard let requestLine = try lines.next() else { throw ProtocolViolation("empty head") }
        let words = requestLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3 else { throw ProtocolViolation("malformed request line") }
        method = Self.text(words[0])
        target = Self.text(words[1])
        version = Self.text(words[2])
        guard HeaderRule.isToken(UnsafeRawBufferPointer(rebasing: words[0])) else {
            throw ProtocolViolation("malformed method")
        }
        guard !target.isEmpty else { throw ProtocolViolation("empty target") }
        guard words[2].count == 8, version.hasPrefix("HTTP/") else { throw ProtocolViolation("malformed version") }
        guard version.hasPrefix("HTTP/1.") else { throw ProtocolViolation("unsupported version", status: 505) }
        headers = try Self.fields(&lines)
        framing = try Self.framing(headers)
        guard version == "HTTP/1.0" || headers.values(for: "Host").count == 1 else {
            throw ProtocolViolation("HTTP/1.1 needs exactly one Host field")
        }
    }

    /// Parses field lines up to the empty line.
    static func fields(_ lines: inout LineCursor) throws(ProtocolViolation) -> LoopbackHeaders {
        var headers = LoopbackHeaders()
        while let line = try lines.next(), !line.isEmpty {
            headers.fields.append(try field(line))
        }
        return headers
    }

    /// Parses one field line without its line ending.
    static func field(_ line: UnsafeRawBufferPointer.SubSequence) throws(ProtocolViolation) -> LoopbackHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw ProtocolViolation("field line without a colon")
        }
        let name = line[..<colon]
        guard HeaderRule.isToken(UnsafeRawBufferPointer(rebasing: name)) else {
            throw ProtocolViolation("malformed field name")
        }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 32 || first == 9 { value = value.dropFirst() }
        while let last = value.last, last == 32 || last == 9 { value = value.dropLast() }
        guard !value.contains(where: { $0 == 13 || $0 == 0 }) else {
            throw ProtocolViolation("control byte in a field value")
        }
        return LoopbackHeaders.Field(name: text(name), value: text(value))
    }

    /// Returns how the body is delimited (RFC 9112 section 6.3).
    static func framing(_ headers: LoopbackHeaders) throws(ProtocolViolation) -> BodyFraming {
        let codings = headers.values(for: "Transfer-Encoding")
        let lengths = headers.values(for: "Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw ProtocolViolation("both Content-Length and Transfer-Encoding") }
            guard codings.count == 1, codings[0].isEqualIgnoringCase("chunked") else {
                throw ProtocolViolation("unsupported transfer coding", status: 501)
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
            let count = Int(length)
        else { throw ProtocolViolation("malformed Content-Length") }
        return .length(count)
    }

    /// Decodes the bytes as UTF-8, or as Latin-1 if they are not valid UTF-8.
    static func text(_ bytes: UnsafeRawBufferPointer.SubSequence) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

struct LineCursor {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Returns the next line without its line ending; nil after the last.
    mutating func next() throws(ProtocolViolation) -> UnsafeRawBufferPointer.SubSequence? {
        guard !rest.isEmpty else { return nil }
        guard let feed = rest.firstIndex(of: 10) else { throw ProtocolViolation("line without an end") }
        guard feed > rest.startIndex, rest[feed - 1] == 13 else { throw ProtocolViolation("bare line feed") }
        let line = rest[rest.startIndex..<feed - 1]
        rest = rest[(feed + 1)...]
        return line
    }
}

/// Parses request targets (RFC 9112 section 3.2).
enum RequestTarget {
    /// Returns the decoded path of a target in origin form or absolute form.
    static func path(of target: String) -> String { decoded(encodedPath(of: target)) }

    /// Returns the decoded segments of a target's path, without empty ones.
    ///
    /// The path is split before it is decoded: an encoded slash does not separate segments.
    static func segments(of target: String) -> [String] {
        encodedPath(of: target).split(separator: "/").map(decoded)
    }

    private static func encodedPath(of target: String) -> Substring {
        var rest = target[...]
        if let scheme = rest.range(of: "://"), !rest.hasPrefix("/") {
            rest = rest[scheme.upperBound...]
            rest = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
            if rest.hasPrefix("?") { return "/" }
        }
        return rest.prefix { $0 != "?" }
    }

    static func queryItems(of target: String) -> [URLQueryItem] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return target[target.index(after: mark)...].split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// Returns the text percent-decoded, or unchanged if its encoding is invalid.
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }
}

/// The error of a request that is not valid HTTP/1.1, with the status to respond with.
struct ProtocolViolation: Error, Equatable {
    let status: Int
    let reason: String

    init(_ reason: String, status: Int = 400) {
        self.status = status
        self.reason = reason
    }
}
