import Ferry

/// What the Python server has seen of a request.
struct PythonEcho: Decodable, Sendable {
    struct Part: Decodable, Sendable {
        var name: String?
        var filename: String?
        var headers: [[String]]
        var body: Data

        /// The value of a field.
        subscript(name: String) -> String? {
            headers.first { $0[0].lowercased() == name.lowercased() }?[1]
        }
    }

    var method: String
    var path: String
    var query: [[String]]
    var headers: [[String]]
    var length: Int
    var form: [[String]]?
    var json: JSONValue?
    var parts: [Part]?

    /// The value of a field.
    subscript(name: String) -> String? {
        headers.first { $0[0].lowercased() == name.lowercased() }?[1]
    }
}

/// Reads what the Python server has seen from the body or, for HEAD, from the header that says the same.
extension ResponseSerializer where Self == ClosureResponseSerializer<PythonEcho> {
    static var pythonEcho: ClosureResponseSerializer<PythonEcho> {
        ClosureResponseSerializer { _, response, data in
            if let data, !data.isEmpty { return try JSONDecoder().decode(PythonEcho.self, from: data) }
            let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Seen") ?? ""
            return try JSONDecoder().decode(PythonEcho.self, from: Data(base64Encoded: field) ?? Data())
        }
    }
}
