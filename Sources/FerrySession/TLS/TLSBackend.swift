/// The capabilities of libcurl's TLS library.
enum TLSBackend {
    /// Whether the library is OpenSSL or one of its forks, given libcurl's name for it: `(GnuTLS/3.7) OpenSSL/3.0` uses
    /// OpenSSL.
    static func isOpenSSL(_ name: String) -> Bool {
        let kinds = ["OpenSSL/", "LibreSSL/", "BoringSSL", "AWS-LC", "quictls/"]
        return name.split(separator: " ").contains { part in kinds.contains { part.hasPrefix($0) } }
    }

    /// Throws an error if an evaluator could not see the chain before the first byte of a request.
    static func requireEvaluation(_ runtime: CurlRuntime?) throws(CurlSessionError) {
        guard let runtime else { return }
        guard isOpenSSL(runtime.tlsBackend ?? "") else {
            throw CurlSessionError(.tlsUnsupported, "Evaluating trust requires a libcurl with OpenSSL, not \(runtime)")
        }
    }
}
