/// What the environment names as the proxy, so that errors and challenges can name it; libcurl does the choosing.
enum EnvironmentProxy {
    /// Returns the value of the first variable that is set for requests to an origin.
    static func value(for origin: Origin, _ variable: (String) -> String?) -> String? {
        // HTTP_PROXY in capitals may be a request's Proxy header in a CGI program, so nobody reads it.
        let names = origin.scheme == "https" ? namesForTLS : plainNames
        return names.lazy.compactMap(variable).first { !$0.isEmpty }
    }

    /// Returns the proxy that a variable's value names.
    static func server(_ value: String) -> ProxyServer? {
        URL(string: value.contains("://") ? value : "http://" + value).flatMap { try? ProxyServer($0) }
    }

    private static let plainNames = ["http_proxy", "all_proxy", "ALL_PROXY"]
    private static let namesForTLS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    static func variable(_ name: String) -> String? {
        // Passed as it is, the name would be copied into an array first.
        name.withCString { getenv($0).map { String(cString: $0) } }
    }
}
