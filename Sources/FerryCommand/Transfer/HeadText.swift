import Ferry

/// The head of a response as text.
enum HeadText {
    /// The status and the fields, sorted by name: their order is not known any more.
    static func lines(
        of response: HTTPURLResponse,
        value: (_ name: String, _ value: String) -> String = { $1 }
    ) -> [String] {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        let fields = response.allHeaderFields.map { "\($0.key): \(value("\($0.key)", "\($0.value)"))" }
        return ["HTTP \(response.statusCode) \(reason)"] + fields.sorted()
    }

    /// What `-i` and `-I` write: the lines, and an empty one.
    static func data(of response: HTTPURLResponse) -> Data {
        Data((lines(of: response) + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

/// What `-v` tells, without the values of header fields and parameters that are secret.
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
