/// The opening handshake of a client (RFC 6455, section 4.1).
struct Handshake: Sendable {
    /// The value of `Sec-WebSocket-Key`: 16 random bytes in Base64.
    let key: String
    let protocols: [String]
    let offersCompression: Bool

    /// The subprotocol and the compression that the server has chosen.
    struct Agreement: Hashable, Sendable {
        var subprotocol: String?
        /// How messages are compressed; `nil` if they are not.
        var compression: CompressionParameters?
    }

    init(key: String = Handshake.randomKey(), protocols: [String], offersCompression: Bool) {
        (self.key, self.protocols, self.offersCompression) = (key, protocols, offersCompression)
    }

    static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    }

    /// Returns whether a URL has the scheme `ws` or `wss`.
    static func isSocket(_ url: URL) -> Bool { ["ws", "wss"].contains(url.scheme?.lowercased()) }

    /// Returns the request of the handshake for the program's request; throws an error with the code `invalidRequest`
    /// if its URL has another scheme than `ws`, `wss`, `http` and `https`, or a subprotocol is invalid.
    func request(_ request: URLRequest) throws(WebSocketError) -> URLRequest {
        guard let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw WebSocketError(.invalidRequest, "The request has no URL")
        }
        switch parts.scheme?.lowercased() {
        case "ws", "http": parts.scheme = "http"
        case "wss", "https": parts.scheme = "https"
        default:
            throw WebSocketError(.invalidRequest, "The URL's scheme is neither ws nor wss: \(url.presentableText)")
        }
        // Section 3: a fragment is not a part of a WebSocket's URI.
        parts.fragment = nil
        if let wrong = protocols.first(where: { !HeaderRule.isToken($0) }) {
            throw WebSocketError(.invalidRequest, "The subprotocol is not a token: \(PresentableText.argument(wrong))")
        }
        guard Set(protocols).count == protocols.count else {
            throw WebSocketError(.invalidRequest, "A subprotocol is named twice")
        }
        var next = request
        next.url = parts.url
        next.httpMethod = "GET"
        (next.httpBody, next.httpBodyStream) = (nil, nil)
        next.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        next.setValue("websocket", forHTTPHeaderField: "Upgrade")
        next.setValue("Upgrade", forHTTPHeaderField: "Connection")
        next.setValue(key, forHTTPHeaderField: "Sec-WebSocket-Key")
        next.setValue("13", forHTTPHeaderField: "Sec-WebSocket-Version")
        let names = protocols.isEmpty ? nil : protocols.joined(separator: ", ")
        next.setValue(names, forHTTPHeaderField: "Sec-WebSocket-Protocol")
        let extensions = offersCompression ? CompressionParameters.offer : nil
        next.setValue(extensions, forHTTPHeaderField: "Sec-WebSocket-Extensions")
        return next
    }

    /// Returns the server's choices in a response; throws an error if the response is not a valid handshake.
    ///
    /// Values are read as bytes: comparing hostile text takes quadratic time.
    func read(_ response: URLResponse) throws(WebSocketError) -> Agreement {
        guard let response = response as? HTTPURLResponse else {
            throw WebSocketError(.invalidHandshake, "The response is not HTTP")
        }
        guard response.statusCode == 101 else {
            let text = "The server has refused the handshake with the status \(response.statusCode)"
            throw WebSocketError(.refused, text, response: response)
        }
        func value(_ name: String) -> Substring.UTF8View? {
            response.value(forHTTPHeaderField: name)?[...].utf8.trimmed
        }
        func invalid(_ text: String) -> WebSocketError { WebSocketError(.invalidHandshake, text, response: response) }
        guard value("Upgrade")?.string.isEqualIgnoringCase("websocket") == true else {
            throw invalid("The response to the handshake does not upgrade to websocket")
        }
        let options = value("Connection")?.parts(between: ",") ?? []
        guard options.contains(where: { $0.trimmed.string.isEqualIgnoringCase("upgrade") }) else {
            throw invalid("The response to the handshake has no Connection: Upgrade")
        }
        guard value("Sec-WebSocket-Accept")?.elementsEqual(accept.utf8) == true else {
            throw invalid("The response does not belong to the handshake: its Sec-WebSocket-Accept differs")
        }
        let subprotocol = value("Sec-WebSocket-Protocol")?.string
        if let subprotocol, !protocols.contains(where: { $0.utf8.elementsEqual(subprotocol.utf8) }) {
            throw invalid(
                "The server uses a subprotocol that was not offered: \(PresentableText.argument(subprotocol))"
            )
        }
        do throws(ProtocolViolation) {
            let extensions = value("Sec-WebSocket-Extensions")?.string
            let compression = try CompressionParameters.read(extensions, isOffered: offersCompression)
            return Agreement(subprotocol: subprotocol, compression: compression)
        } catch {
            throw invalid(error.message)
        }
    }

    /// The value of `Sec-WebSocket-Accept` in a response to the key.
    var accept: String { Data(SHA1.hash(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).base64EncodedString() }
}
