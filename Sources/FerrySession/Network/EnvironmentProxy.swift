/// What the environment names as the proxy, so that errors and challenges can name it; libcurl does the choosing.
enum EnvironmentProxy {
    static func server(for origin: Origin, _ variable: (String) -> String?) -> ProxyServer? {
        // HTTP_PROXY in capitals may be a request's Proxy header in a CGI program, so nobody reads it.
        let names = origin.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let value = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap(variable).first { !$0.isEmpty }
        guard let value, let url = URL(string: value.contains("://") ? value : "http://" + value) else { return nil }
        return try? ProxyServer(url)
    }

    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
