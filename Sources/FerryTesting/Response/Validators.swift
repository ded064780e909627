import FerrySupport
import Foundation

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
        if let field = request.header("If-Match") {
            guard field == "*" || tags(field).contains(where: isStrongMatch) else { return 412 }
        } else if let date = request.header("If-Unmodified-Since").flatMap({ HTTPDate.parse($0) }), let lastModified {
            guard lastModified <= date else { return 412 }
        }
        let isReading = request.method == "GET" || request.method == "HEAD"
        if let field = request.header("If-None-Match") {
            guard field == "*" || tags(field).contains(where: isWeakMatch) else { return nil }
            return isReading ? 304 : 412
        }
        if isReading, let date = request.header("If-Modified-Since").flatMap({ HTTPDate.parse($0) }), let lastModified {
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

    private func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func isStrongMatch(_ tag: String) -> Bool {
        tag == etag && !tag.hasPrefix("W/")
    }

    private func isWeakMatch(_ tag: String) -> Bool {
        guard let etag else { return false }
        return opaque(tag) == opaque(etag)
    }

    private func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
