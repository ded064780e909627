/// The request that a task sends, with header fields that become part of it only when it is read.
struct CurrentRequest: Sendable {
    let request: URLRequest
    /// The fields from interceptors, which replace the request's fields.
    let replacements: [HeaderField]
    /// The fields of the session, which are sent where the request has none of the same name.
    let additions: [HeaderField]

    init(_ request: URLRequest, replacements: [HeaderField] = [], additions: [HeaderField] = []) {
        (self.request, self.replacements, self.additions) = (request, replacements, additions)
    }

    var complete: URLRequest {
        let request = request.setting(replacements)
        return request.setting(additions.filter { request.value(forHTTPHeaderField: $0.name) == nil })
    }
}
