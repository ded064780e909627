/// Which public keys each host may have.
struct HostPins: Sendable {
    private var table = HostTable<[PublicKeyPin]>()

    init(_ pins: [String: [PublicKeyPin]]) throws(CurlSessionError) {
        for (pattern, list) in pins {
            guard !list.isEmpty, list.allSatisfy(\.isValid) else {
                let problem = list.isEmpty ? "has no pin" : "has a pin that is no SHA-256 hash in base64"
                throw CurlSessionError(
                    .invalidTLSOptions,
                    "The host \(PresentableText.withoutUserInfo(pattern).debugDescription) of the pins \(problem)"
                )
            }
            try table.add(pattern, list)
        }
    }

    /// The pins of a host as libcurl wants them, `nil` where there are none.
    func curlValue(for host: String) throws(CurlSessionError) -> String? {
        try table.value(for: host).map { $0.map(\.description).joined(separator: ";") }
    }
}
