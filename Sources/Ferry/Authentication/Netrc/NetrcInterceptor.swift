import FerrySession

/// An interceptor that sends the user name and password of a netrc file with HTTP Basic (RFC 7617).
///
/// ```swift
/// let netrc = try NetrcInterceptor(contentsOf: NetrcFile.defaultURL)
/// ```
///
/// The entry is that of the request's host. Nothing is changed if there is none, if the request has an `Authorization`
/// field, if its URL has a user name, or after a redirect to another origin. A netrc file knows neither schemes nor
/// ports: as in curl, the password is also sent over http, where it can be read.
public struct NetrcInterceptor: ImmediateRequestInterceptor {
    /// The entries.
    public let file: NetrcFile

    private let scope = CredentialScope(nil)

    /// Creates an interceptor from a file that was read.
    public init(_ file: NetrcFile) { self.file = file }

    /// Reads a file and creates an interceptor; later changes of the file have no effect.
    ///
    /// - Parameter url: The file, for example ``NetrcFile/defaultURL``.
    /// - Throws: ``NetrcError``.
    public init(contentsOf url: URL) throws { file = try NetrcFile(contentsOf: url) }

    /// An empty set: a refused password is not sent again.
    public var failureStatuses: Set<Int> { [] }

    /// Adds the `Authorization` field to the request, unless there is no entry for it.
    public func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        guard scope.includes(request.url, in: attempt), let url = request.url, url.user == nil,
            request.value(forHTTPHeaderField: "Authorization") == nil,
            let entry = file.entry(forHost: Origin(url).host)
        else { return true }
        try request.setHeader(.basic(username: entry.login, password: entry.password))
        return true
    }
}
