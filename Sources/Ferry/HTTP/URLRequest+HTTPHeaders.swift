import FerrySession

// Fields are assigned all at once: Foundation's `setValue(_:forHTTPHeaderField:)` silently drops values it
// does not like, changes the case of names, and takes several times as long. The request must have a URL: without one,
// Foundation traps on Linux when it copies it.
extension URLRequest {
    /// Sets each field, replacing what the request carries under its name; duplicates in the list are kept.
    mutating func setHeaders(_ headers: HTTPHeaders) throws {
        try changeHeaders(headers) { fields, old, new in
            if let old {
                fields[old] = nil
            }
            fields[new.name] = new.value
        }
    }

    /// Adds each field unless the request carries one of that name already.
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
