extension LoopbackResponse {
    /// Returns the response to a request for a resource that has validators and supports ranges (RFC 9110 sections 13
    /// and 14).
    ///
    /// It evaluates `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since`, then `Range` with
    /// `If-Range`. The status is 200, 206, 304, 412 or 416. For a list of several ranges, the response is the whole
    /// resource.
    ///
    /// - Parameters:
    ///   - body: The whole resource; ranges are supported for data, pattern and file bodies.
    ///   - etag: The entity tag, which is quoted if necessary; nil for no `ETag`.
    ///   - lastModified: The date for `Last-Modified`; nil for none.
    ///   - contentType: The media type.
    ///   - request: The client's request.
    /// - Returns: The response, which can be modified further.
    public static func resource(
        _ body: Body,
        etag: String? = nil,
        lastModified: Date? = nil,
        contentType: String = "application/octet-stream",
        for request: LoopbackRequest
    ) -> LoopbackResponse {
        let validators = Validators(etag: etag, lastModified: lastModified)
        var response = LoopbackResponse(headers: validators.fields, body: body)
        if let status = validators.failedPrecondition(of: request) {
            response.statusCode = status
            response.body = .data(Data())
            return response
        }
        response.headers.add("Content-Type", contentType)
        guard let total = body.count, body.slice(0..<0) != nil else { return response }
        response.headers.add("Accept-Ranges", "bytes")
        guard request.method == "GET", let field = request.header("Range"), validators.allowRange(of: request),
            let range = ByteRange(field)
        else { return response }
        guard let bytes = range.resolved(total: total) else {
            response.statusCode = 416
            response.headers.add("Content-Range", "bytes */\(total)")
            response.body = .data(Data())
            return response
        }
        guard let part = body.slice(bytes) else { return response }
        response.statusCode = 206
        response.headers.add("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)")
        response.body = part
        return response
    }
}

/// An entity tag and a modification date, and how conditions evaluate against them (RFC 9110 section 13).
struct Validators {
    let etag: String?
    let lastModified: Date?

    init(etag: String?, lastModified: Date?) {
        self.etag = etag.map { $0.hasPrefix("\"") || $0.hasPrefix("W/") ? $0 : "\"\($0)\"" }
        // The field has a resolution of one second.
        self.lastModified = lastModified.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
    }

    var fields: LoopbackHeaders {
        var fields = LoopbackHeaders()
        if let etag { fields.add("ETag", etag) }
        if let lastModified { fields.add("Last-Modified", HTTPDate.string(from: lastModified)) }
        return fields
    }

    /// Returns 304 or 412 if a condition requires it, evaluated in the order of section 13.2.2.
    func failedPrecondition(of request: LoopbackRequest) -> Int? {
        if let tags = request.tags("If-Match") {
            guard tags.contains(where: { $0 == "*" || isStrongMatch($0) }) else { return 412 }
        } else if let lastModified, let date = request.date("If-Unmodified-Since") {
            guard lastModified <= date else { return 412 }
        }
        let isReading = request.method == "GET" || request.method == "HEAD"
        if let tags = request.tags("If-None-Match") {
            guard tags.contains(where: { $0 == "*" || isWeakMatch($0) }) else { return nil }
            return isReading ? 304 : 412
        }
        if isReading, let lastModified, let date = request.date("If-Modified-Since") {
            return lastModified <= date ? 304 : nil
        }
        return nil
    }

    /// Returns whether `If-Range` allows the range: only with an equal strong tag or an equal date.
    func allowRange(of request: LoopbackRequest) -> Bool {
        guard let field = request.header("If-Range") else { return true }
        if field.hasPrefix("\"") || field.hasPrefix("W/") { return isStrongMatch(field) }
        return lastModified != nil && HTTPDate.parse(field) == lastModified
    }

    private func isStrongMatch(_ tag: String) -> Bool { tag == etag && !tag.hasPrefix("W/") }

    private func isWeakMatch(_ tag: String) -> Bool {
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return etag.map { opaque(tag) == opaque($0) } ?? false
    }
}

extension LoopbackRequest {
    fileprivate func date(_ name: String) -> Date? { header(name).flatMap { HTTPDate.parse($0) } }

    /// Returns the entity tags, or the asterisk, in all lines of a field; nil without the field.
    fileprivate func tags(_ name: String) -> [String]? {
        let lines = headers.values(for: name)
        return lines.isEmpty ? nil : lines.flatMap { FieldParts.split($0, separator: ",") }
    }
}

/// A single range of a `Range` field (RFC 9110 section 14.1.2).
enum ByteRange: Equatable {
    case from(Int)
    case between(Int, Int)
    case last(Int)

    /// Parses a field value; nil if it must be ignored, which here includes malformed values and lists of ranges.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).isEqualIgnoringCase("bytes") else { return nil }
        let ends = parts[1].trimmingCharacters(in: .whitespaces).split(
            separator: "-",
            omittingEmptySubsequences: false
        )
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }) else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: self = .between(first, last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// Returns the bytes the range selects from a body of `total` bytes; nil if there are none.
    func resolved(total: Int) -> Range<Int>? {
        switch self {
        case .from(let first): first < total ? first..<total : nil
        case .between(let first, let last): first < total ? first..<min(last, total - 1) + 1 : nil
        case .last(let count): count > 0 && total > 0 ? max(0, total - count)..<total : nil
        }
    }
}
