import Ferry

enum HeadText {
    /// Returns the status line, with the standard reason phrase, and the header fields as they were received.
    static func lines(
        of response: HTTPURLResponse,
        value: (_ name: String, _ value: String) -> String = { $1 }
    ) -> [String] {
        let version = response.receivedVersion ?? "HTTP"
        // HTTP/2 has no reason phrase (RFC 9113, section 8.3.2); curl leaves its place empty.
        let hasReason = version.hasPrefix("HTTP/1")
        let reason = hasReason ? HTTPURLResponse.localizedString(forStatusCode: response.statusCode) : ""
        let fields = response.receivedFields ?? response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        return ["\(version) \(response.statusCode) \(reason)"]
            + fields.map { "\($0.name): \(value($0.name, $0.value))" }
    }

    /// Returns the output of `-i` and `-I`: the lines of the head and an empty one.
    static func data(of response: HTTPURLResponse) -> Data {
        Data((lines(of: response) + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

/// Formats requests, responses and metrics for `-v`, without the values of secret header fields and parameters.
enum VerboseText {
    static func lines(of request: SignableRequest) -> [String] {
        ["> \(request.method) \(request.url.presentableText)"]
            + request.headerFields.map { "> \($0.name): \(value($0.name, $0.value))" }
    }

    static func lines(of response: HTTPURLResponse) -> [String] {
        HeadText.lines(of: response, value: value).map { "< " + $0 }
    }

    /// Returns the line of one request, which may be a redirect or a retry.
    static func line(_ transaction: TaskMetrics.Transaction) -> String {
        var parts = ["* \(transaction.method) \(transaction.statusCode.map(String.init) ?? "without a response")"]
        if transaction.isFromCache { return parts[0] + " from the cache" }
        if let name = transaction.networkProtocolName { parts[0] += " over \(name)" }
        if let address = transaction.remoteAddress {
            parts[0] += " from " + authority(address, transaction.remotePort)
        }
        if transaction.isReusedConnection { parts.append("connection reused") }
        let phases = [
            ("name", transaction.nameLookup), ("connected", transaction.connect), ("TLS", transaction.secureConnect),
            ("sent", transaction.requestStart), ("first byte", transaction.responseStart),
        ]
        parts += phases.filter { $0.1 > 0 }.map { "\($0.0) \(ByteText.elapsed($0.1))" }
        parts.append("end \(ByteText.elapsed(transaction.duration))")
        if transaction.sentBodyByteCount > 0 { parts.append("\(ByteText.text(transaction.sentBodyByteCount)) up") }
        parts.append("\(ByteText.text(transaction.receivedBodyByteCount)) down")
        return parts.joined(separator: ", ")
    }

    /// Returns the value of a field without its secrets, which may be in the URLs that it contains.
    static func value(_ name: String, _ value: String) -> String {
        SecretName.isSecret(name) ? "…" : PresentableText.field(name, value)
    }

    /// Returns an address with its port; that of IPv6 is in brackets.
    static func authority(_ address: String, _ port: Int?) -> String {
        (address.contains(":") ? "[\(address)]" : address) + (port.map { ":\($0)" } ?? "")
    }
}

/// Prints each request as it is sent, redirects and retries included; it changes nothing.
struct RequestPrinter: RequestSigner {
    let console: Console

    func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
        console.verbose(VerboseText.lines(of: request))
        return [:]
    }
}
