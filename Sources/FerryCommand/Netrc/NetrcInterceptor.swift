import Ferry

/// An interceptor that sends the user name and password of a netrc file with HTTP Basic (RFC 7617).
///
/// The entry is that of the request's host. Nothing is changed if there is none, if it has neither user name nor
/// password, if the request has an `Authorization` field, if its URL has a user name, or after a redirect to another
/// origin. If the entry has only a user name or only a password, the other is sent empty, as in curl. A netrc file has
/// neither schemes nor ports: as in curl, the password is also sent over http, where it can be read.
struct NetrcInterceptor: ImmediateRequestInterceptor {
    /// The entries.
    let file: NetrcFile

    private let scope = CredentialScope(nil)

    init(_ file: NetrcFile) { self.file = file }

    /// An empty set: a refused password is not sent again.
    var failureStatusCodes: Set<Int> { [] }

    /// Adds the `Authorization` field to the request, unless there is no entry for it.
    func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        guard scope.includes(request.url, in: attempt), let url = request.url, url.user == nil,
            request.value(forHTTPHeaderField: "Authorization") == nil,
            let entry = file.entry(forHost: Origin(url).host), !(entry.login.isEmpty && entry.password.isEmpty)
        else { return true }
        try request.setHeader(.basic(username: entry.login, password: entry.password))
        return true
    }
}
