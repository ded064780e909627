/// The options of an ``AuthenticationInterceptor``.
public struct AuthenticationOptions: Sendable, Hashable {
    /// URLs of the origins (scheme, host and port) that the credential is sent to.
    ///
    /// `nil`, the default, sends it to the origin of the URL that a task was made with. List the origins if a session
    /// also sends requests to servers that must not receive the credential. After a redirect to another origin, the
    /// credential is not sent in either case.
    public var origins: [URL]?

    /// The status codes of the responses that may mean that the server refuses the credential; 401 by default.
    public var failureStatusCodes: Set<Int> = [401]

    /// The time before its expiration at which a credential is refreshed, in seconds; 30 by default.
    ///
    /// Until it expires, requests are sent with the old credential and do not wait for the new one.
    public var leeway: TimeInterval = 30

    /// The maximum number of refreshes within ``refreshWindow``, at most 1,000; 5 by default.
    ///
    /// Requests that would need another one fail with ``AuthenticationError/Code/excessiveRefresh``. A refresh before
    /// the expiration, for which no request waits, uses up to half of this number.
    public var maximumRefreshes = 5

    /// The time in which refreshes are counted, in seconds; 30 by default.
    public var refreshWindow: TimeInterval = 30

    /// The time limit for one refresh, in seconds; 60 by default.
    ///
    /// The waiting requests then fail with ``AuthenticationError/Code/refreshTimedOut``. A request whose own timeout is
    /// shorter fails earlier, with -1001. Zero, negative and infinite values set no limit.
    public var refreshTimeout: TimeInterval = 60

    /// Creates the default options, which a closure may change.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }

    /// The time limit for one refresh; infinite for none.
    var refreshLimit: TimeSpan { TimeSpan(timeout: refreshTimeout) }
}
