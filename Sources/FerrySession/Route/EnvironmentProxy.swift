/// Reads the proxy from the environment so that errors and challenges can name it; libcurl chooses it independently.
enum EnvironmentProxy {
    /// Returns the value of the first variable that is set for requests to an origin.
    static func value(for origin: Origin, _ variable: (String) -> String?) -> String? {
        // HTTP_PROXY in capitals is not read, because in a CGI program it may be a request's Proxy field.
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
        // Passing the string to `getenv` directly would copy it to an array first.
        name.withCString { getenv($0).map { String(cString: $0) } }
    }
}
