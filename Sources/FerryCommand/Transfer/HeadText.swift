import Ferry

/// The head of a response as text.
enum HeadText {
    /// The status and the fields, sorted by name: their order is not known any more.
    static func lines(of response: HTTPURLResponse) -> [String] {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        let fields = response.allHeaderFields.map { "\($0.key): \($0.value)" }
        return ["HTTP \(response.statusCode) \(reason)"] + fields.sorted()
    }

    /// What `-i` and `-I` write: the lines, and an empty one.
    static func data(of response: HTTPURLResponse) -> Data {
        Data((lines(of: response) + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

/// What `-v` tells.
enum VerboseText {
    static func lines(of request: URLRequest) -> [String] {
        let url = request.url?.withoutCredentials ?? ""
        let fields = (request.allHTTPHeaderFields ?? [:]).map { name, value in
            let isSecret = ["authorization", "proxy-authorization", "cookie"].contains(name.lowercased())
            return "> \(name): \(isSecret ? "…" : value)"
        }
        return ["> \(request.httpMethod ?? "GET") \(url)"] + fields.sorted()
    }

    static func lines(of response: HTTPURLResponse) -> [String] {
        HeadText.lines(of: response).map { "< " + $0 }
    }
}
