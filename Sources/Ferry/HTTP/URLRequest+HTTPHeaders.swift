import Foundation

// Fields are assigned in one step: Foundation's `setValue(_:forHTTPHeaderField:)` silently drops some values, changes
// the case of names, and takes several times as long. The request must have a URL: Foundation on Linux traps when it
// copies a request without one.
extension URLRequest {
    /// Sets each field, replacing the request's field of the same name; duplicates in the list are joined.
    mutating func setHeaders(_ headers: HTTPHeaders) throws {
        try changeHeaders(headers) { fields, old, new in
            if let old {
                fields[old] = nil
            }
            fields[new.name] = new.value
        }
    }

    /// Adds each field unless the request has one of the same name already.
    mutating func addMissingHeaders(_ headers: HTTPHeaders) throws {
        try changeHeaders(headers) { fields, old, new in
            if old == nil {
                fields[new.name] = new.value
            }
        }
    }

    private mutating func changeHeaders(
        _ headers: HTTPHeaders,
        change: (_ fields: inout [String: String], _ oldName: String?, _ new: HTTPHeader) -> Void
    ) throws {
        guard !headers.isEmpty else { return }
        try headers.validate()
        var fields = allHTTPHeaderFields ?? [:]
        for field in headers.combined() {
            change(&fields, fields.keys.first(where: field.isNamed), field)
        }
        allHTTPHeaderFields = fields
    }
}
