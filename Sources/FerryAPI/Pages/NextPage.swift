/// The way in which a page of a list refers to the next one.
///
/// See `HTTPSessionManager.pages(of:next:maximumPages:)`.
public struct NextPage<Value: Sendable>: Sendable {
    enum Rule: Sendable {
        case link(relation: String)
        case cursor(parameter: String, @Sendable (Value) -> String?)
        case request(@Sendable (TaskResponse<Value>) -> Request<Value>?)
    }

    let rule: Rule

    /// Follows the link with a relation type in the page's `Link` header field (RFC 8288).
    ///
    /// The target must have the origin (scheme, host and port) of the first page's URL. Otherwise nothing is sent, and
    /// the sequence throws a ``PaginationError/otherOrigin(_:)``: credentials may come from the request, the
    /// serializer, an interceptor or the configuration, and the server must not choose who receives them. User and
    /// password are those of the first page's URL, never those of a link.
    ///
    /// A page is requested with GET, or with HEAD if the first one is, with the header fields, the timeout and the
    /// serializers of the request, but without its parameters and form, because the link contains the query.
    ///
    /// - Parameter relation: The relation type; `next` by default.
    /// - Returns: The rule.
    public static func link(rel relation: String = "next") -> NextPage { NextPage(rule: .link(relation: relation)) }

    /// Repeats the request with a parameter set to the cursor that the page contains.
    ///
    /// ```swift
    /// let pages = manager.pages(
    ///     of: .get("messages", as: Messages.self),
    ///     next: .cursor("cursor", \.nextCursor)
    /// )
    /// ```
    ///
    /// The serializer places it like the other parameters: in the query of a GET, in the body of a POST. Parameters
    /// that are an `Encodable` value must encode a dictionary; a key strategy of the encoder also changes `parameter`.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter.
    ///   - cursor: Returns the cursor of the next page; nil or an empty string after the last one.
    /// - Returns: The rule.
    public static func cursor(_ parameter: String, _ cursor: @escaping @Sendable (Value) -> String?) -> NextPage {
        NextPage(rule: .cursor(parameter: parameter, cursor))
    }

    /// Sends the request that a closure returns, to any origin.
    ///
    /// - Parameter next: Returns the request for the next page; nil after the last one. It runs when the next page is
    ///   asked for.
    /// - Returns: The rule.
    public static func request(_ next: @escaping @Sendable (TaskResponse<Value>) -> Request<Value>?) -> NextPage {
        NextPage(rule: .request(next))
    }
}

/// The reason why the next page was not requested: the underlying error of `NetworkError.Code.nextPageRefused`.
public enum PaginationError: Error, Sendable, Hashable {
    /// The next page has another origin than the first; the URL is that of the next page, without user and password.
    case otherOrigin(URL)
    /// The page refers to itself or to an earlier page.
    case repeatedPage
    /// There are more pages than the maximum, which is given.
    case tooManyPages(Int)
}

extension PaginationError: DescribedError, RedactedDescription {
    /// The reason as a sentence, without secrets.
    public var description: String {
        switch self {
        case .otherOrigin(let url):
            "The next page has another origin than the first: \(PaginationError.origin(of: url))"
        case .repeatedPage: "The page refers to itself or to an earlier page as the next one"
        case .tooManyPages(let maximum): "There are more pages than the maximum of \(maximum)"
        }
    }

    private static func origin(of url: URL) -> String {
        let port = url.port.map { ":\($0)" } ?? ""
        return "\(url.scheme ?? "")://\(url.host(percentEncoded: true) ?? "")\(port)"
    }
}
