/// What a libcurl's TLS library can do.
enum TLSBackend {
    /// Whether the library is OpenSSL or of its kind, by what libcurl calls it: `(GnuTLS/3.7) OpenSSL/3.0` uses OpenSSL.
    static func isOpenSSL(_ name: String) -> Bool {
        let kinds = ["OpenSSL/", "LibreSSL/", "BoringSSL", "AWS-LC", "quictls/"]
        return name.split(separator: " ").contains { part in kinds.contains { part.hasPrefix($0) } }
    }

    /// Throws where an evaluator could not see the chain before the first byte of a request.
    static func requireEvaluation(_ runtime: CurlRuntime?) throws(CurlSessionError) {
        guard let runtime else { return }
        guard isOpenSSL(runtime.tlsBackend ?? "") else {
            throw CurlSessionError(.tlsUnsupported, "Trust can be evaluated with OpenSSL, not with \(runtime)")
        }
    }
}
