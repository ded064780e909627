/// An error of an ``AuthenticationInterceptor`` itself; an error that the refresh throws is reported unchanged.
public struct AuthenticationError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The kind of an error; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There were more refreshes than ``AuthenticationOptions/maximumRefreshes`` allows.
        public static let excessiveRefresh = Code(rawValue: "excessiveRefresh")
        /// The refresh took longer than ``AuthenticationOptions/refreshTimeout``.
        public static let refreshTimedOut = Code(rawValue: "refreshTimedOut")
        /// The refresh has sent a request that needs the result of the refresh.
        public static let refreshWaitsForItself = Code(rawValue: "refreshWaitsForItself")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that describes the error.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var errorDescription: String? { message }
    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    static let excessiveRefresh = AuthenticationError(
        .excessiveRefresh,
        "The credential was refreshed too often, and has expired or was refused again"
    )

    static let refreshTimedOut = AuthenticationError(
        .refreshTimedOut,
        "The refresh of the credential took longer than its time limit"
    )

    static let refreshWaitsForItself = AuthenticationError(
        .refreshWaitsForItself,
        "The refresh of the credential sends a request through the interceptor that waits for the refresh; use a "
            + "session or manager without this interceptor"
    )
}
