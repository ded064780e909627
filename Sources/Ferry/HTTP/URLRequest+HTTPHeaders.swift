import FerrySession

extension URLRequest {
    /// Sets each field, replacing what the request carries under its name; duplicates in the list are kept.
    ///
    /// The request must have a URL: without one, FoundationNetworking traps when it copies it.
    mutating func setHeaders(_ headers: HTTPHeaders) throws {
        try headers.validate()
        for field in headers {
            setValue(headers[field.name], forHTTPHeaderField: field.name)
        }
    }

    /// Adds each field unless the request carries one of that name already.
    mutating func addMissingHeaders(_ headers: HTTPHeaders) throws {
        try headers.validate()
        for field in headers where value(forHTTPHeaderField: field.name) == nil {
            setValue(headers[field.name], forHTTPHeaderField: field.name)
        }
    }
}
