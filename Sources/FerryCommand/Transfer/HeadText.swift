import Ferry

/// Formats a response head as text.
enum HeadText {
    /// Returns the status and the header fields, sorted by name because `HTTPURLResponse` does not keep their order.
    static func lines(
        of response: HTTPURLResponse,
        value: (_ name: String, _ value: String) -> String = { $1 }
    ) -> [String] {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        let fields = response.allHeaderFields.map { "\($0.key): \(value("\($0.key)", "\($0.value)"))" }
        return ["HTTP \(response.statusCode) \(reason)"] + fields.sorted()
    }

    /// Returns the output of `-i` and `-I`: the lines of the head and an empty one.
    static func data(of response: HTTPURLResponse) -> Data {
        Data((lines(of: response) + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

/// Formats requests and responses for `-v`, without the values of secret header fields and parameters.
enum VerboseText {
    static func lines(of request: URLRequest) -> [String] {
        let url = request.url?.presentableText ?? ""
        let fields = (request.allHTTPHeaderFields ?? [:]).map { name, value in
            "> \(name): \(shown(name, value))"
        }
        return ["> \(request.httpMethod ?? "GET") \(url)"] + fields.sorted()
    }

    static func lines(of response: HTTPURLResponse) -> [String] {
        HeadText.lines(of: response, value: shown).map { "< " + $0 }
    }

    private static func shown(_ name: String, _ value: String) -> String {
        if SecretName.isSecret(name) { return "…" }
        let isURL = ["location", "content-location", "referer"].contains(name.lowercased())
        return isURL ? PresentableText.url(value) : value
    }
}
