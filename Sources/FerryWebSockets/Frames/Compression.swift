/// The parameters of compression that client and server have agreed on (RFC 7692, section 7.1).
struct CompressionParameters: Hashable, Sendable {
    /// The size of the windows, as powers of two.
    var serverWindow = 15
    var clientWindow = 15
    /// Whether each message is compressed without those before it.
    var serverForgets = false
    var clientForgets = false

    /// The value of `Sec-WebSocket-Extensions` in a request.
    static let offer = "permessage-deflate; client_max_window_bits"

    /// Reads the value of the field in a response, which is `nil` if the server uses no extension; returns `nil` if
    /// messages are not compressed.
    static func read(_ value: String?, isOffered: Bool) throws(ProtocolViolation) -> CompressionParameters? {
        guard let value, !value.utf8.allSatisfy(\.isBlank) else { return nil }
        guard isOffered, value.utf8.count <= 1024, !value.utf8.contains(UInt8(ascii: ",")) else {
            throw ProtocolViolation("The server uses an extension that was not offered")
        }
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.trimmingCharacters(in: .whitespaces)
        }
        guard parts[0].lowercased() == "permessage-deflate" else {
            throw ProtocolViolation("The server uses an extension that was not offered")
        }
        var parameters = CompressionParameters()
        var seen: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = pair.first?.lowercased(), seen.insert(name).inserted else { throw invalid(part) }
            let text = pair.count > 1 ? pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"")) : nil
            switch (name, text) {
            case ("server_no_context_takeover", nil): parameters.serverForgets = true
            case ("client_no_context_takeover", nil): parameters.clientForgets = true
            case ("server_max_window_bits", let text?): parameters.serverWindow = try window(text, part)
            case ("client_max_window_bits", let text?): parameters.clientWindow = try window(text, part)
            default: throw invalid(part)
            }
        }
        return parameters
    }

    private static func window(_ text: String, _ part: String) throws(ProtocolViolation) -> Int {
        guard let bits = Int(text), (8...15).contains(bits), "\(bits)" == text else { throw invalid(part) }
        return bits
    }

    private static func invalid(_ part: String) -> ProtocolViolation {
        ProtocolViolation("The parameter of permessage-deflate is not valid: \(PresentableText.argument(part))")
    }
}

/// Compresses the messages that are sent.
struct MessageDeflater: Sendable {
    private let parameters: CompressionParameters
    private var stream: RawDeflate?

    init(_ parameters: CompressionParameters) { self.parameters = parameters }

    /// Returns the compressed message, or `nil` if the message must be sent uncompressed.
    mutating func deflate(_ message: Data) -> Data? {
        // zlib cannot keep within the smallest window.
        guard RawDeflate.windows.contains(parameters.clientWindow), !message.isEmpty else { return nil }
        guard let stream = stream ?? RawDeflate(deflates: true, window: parameters.clientWindow) else { return nil }
        let result = stream.deflate(message)
        // If messages are compressed independently, the memory is released before the next one.
        self.stream = parameters.clientForgets || result == nil ? nil : stream
        return result
    }
}
