/// The public keys that each host may use.
struct HostPins: Sendable {
    private var table = HostTable<[PublicKeyPin]>()

    init(_ pins: [String: [PublicKeyPin]]) throws(CurlSessionError) {
        for (pattern, list) in pins {
            guard !list.isEmpty, list.allSatisfy(\.isValid) else {
                let problem = list.isEmpty ? "has no pin" : "has a pin that is not a SHA-256 hash in base64"
                throw CurlSessionError(
                    .invalidTLSOptions,
                    "The pinned host \(PresentableText.withoutUserInfo(pattern).debugDescription) \(problem)"
                )
            }
            try table.add(pattern, list)
        }
    }

    /// Returns the pins of a host in libcurl's format, or `nil` if there are none.
    func curlValue(for host: String) throws(CurlSessionError) -> String? {
        try table.value(for: host).map { $0.map(\.description).joined(separator: ";") }
    }
}
