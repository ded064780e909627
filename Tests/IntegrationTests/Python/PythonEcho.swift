import Ferry

/// A request as the Python server received it.
struct PythonEcho: Decodable, Sendable {
    struct Part: Decodable, Sendable {
        var name: String?
        var filename: String?
        var headers: [[String]]
        var body: Data

        /// The value of a header field.
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

    /// The value of a header field.
    subscript(name: String) -> String? {
        headers.first { $0[0].lowercased() == name.lowercased() }?[1]
    }
}

/// Decodes the echoed request from the body or, for HEAD, from the header field with the same content.
extension ResponseSerializer where Self == ClosureResponseSerializer<PythonEcho> {
    static var pythonEcho: ClosureResponseSerializer<PythonEcho> {
        ClosureResponseSerializer { _, response, data in
            if let data, !data.isEmpty { return try JSONDecoder().decode(PythonEcho.self, from: data) }
            let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Seen") ?? ""
            return try JSONDecoder().decode(PythonEcho.self, from: Data(base64Encoded: field) ?? Data())
        }
    }
}
