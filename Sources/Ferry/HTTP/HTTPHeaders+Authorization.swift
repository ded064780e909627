import Foundation

extension HTTPHeaders {
    /// Returns a list of one `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    public static func basic(username: String, password: String) -> HTTPHeaders {
        [.basic(username: username, password: password)]
    }

    /// Returns a list of one `Authorization` field for the Bearer scheme (RFC 6750).
    public static func bearer(_ token: String) -> HTTPHeaders {
        [.bearer(token)]
    }

    /// Sets the `Authorization` field for the Basic scheme.
    ///
    /// AFNetworking: `setAuthorizationHeaderFieldWithUsername:password:`.
    public mutating func setAuthorization(username: String, password: String) {
        set(.basic(username: username, password: password))
    }

    /// Sets the `Authorization` field for the Bearer scheme.
    public mutating func setAuthorization(bearerToken: String) {
        set(.bearer(bearerToken))
    }

    /// Removes the `Authorization` field.
    ///
    /// AFNetworking: `clearAuthorizationHeader`.
    public mutating func clearAuthorization() {
        remove("Authorization")
    }
}
