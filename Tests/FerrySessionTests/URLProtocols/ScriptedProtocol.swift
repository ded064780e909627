import FerrySession

/// A protocol class that runs the script that a test has registered for the URL's host.
class ScriptedProtocol: URLProtocol {
    /// A registered script, and how often it ran.
    struct Entry: Sendable {
        var start: @Sendable (ScriptedProtocol) -> Void
        var starts = 0
        var stops = 0
    }

    private static let entries = Watched<[String: Entry]>([:])

    /// Registers a script, and returns a URL for it.
    static func script(scheme: String = "http", _ start: @escaping @Sendable (ScriptedProtocol) -> Void) -> URL {
        let host = "\(UUID().uuidString.lowercased()).invalid"
        entries.change { $0[host] = Entry(start: start) }
        return URL(string: "\(scheme)://\(host)/path") ?? URL(fileURLWithPath: "/")
    }

    /// Registers a script that keeps its request and finishes, and returns a URL for it.
    static func keeping(_ requests: Watched<[URLRequest]>) -> URL {
        script { loader in
            requests.append(loader.request)
            loader.respond()
            loader.finish()
        }
    }

    static func starts(_ url: URL) -> Int { entries.change { $0[url.host ?? ""]?.starts ?? 0 } }

    static func stops(_ url: URL) -> Int { entries.change { $0[url.host ?? ""]?.stops ?? 0 } }

    override class func canInit(with request: URLRequest) -> Bool {
        entries.change { $0[request.url?.host ?? ""] != nil }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        var canonical = request
        canonical.setValue("yes", forHTTPHeaderField: "X-Canonical")
        return canonical
    }

    override func startLoading() {
        let start = Self.entries.change { entries in
            entries[request.url?.host ?? ""]?.starts += 1
            return entries[request.url?.host ?? ""]?.start
        }
        start?(self)
    }

    override func stopLoading() {
        let host = request.url?.host ?? ""
        Self.entries.change { $0[host]?.stops += 1 }
    }

    // MARK: - For scripts

    func respond(_ status: Int = 200, headers: [String: String] = [:]) {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }

    func load(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }

    func finish() { client?.urlProtocolDidFinishLoading(self) }

    func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }

    func redirect(to url: URL, status: Int = 302, headers: [String: String] = [:]) {
        guard let from = request.url,
            let response = HTTPURLResponse(
                url: from,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: ["Location": url.absoluteString]
            )
        else { return }
        var next = request
        next.url = url
        for (name, value) in headers { next.setValue(value, forHTTPHeaderField: name) }
        client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
    }

    /// The request's body, from any source.
    var body: Data {
        if let data = request.httpBody { return data }
        guard let stream = request.httpBodyStream else { return Data() }
        stream.open()
        defer { stream.close() }
        var result = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return result }
            result.append(contentsOf: buffer.prefix(count))
        }
    }
}

/// Wraps a value that only a script's thread uses.
///
/// `@unchecked Sendable`: a test passes it to one thread.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
