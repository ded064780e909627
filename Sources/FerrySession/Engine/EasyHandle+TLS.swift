internal import CFerry

/// Options and results of TLS connections.
extension EasyHandle {
    /// The error of an option that libcurl or its TLS library does not support, with libcurl's code.
    struct Refusal: Error {
        var curlCode: Int32
    }

    func require(_ option: Int32, _ value: Int) throws(Refusal) {
        try check(ferry_easy_set_long(pointer, option, value))
    }

    func require(_ option: Int32, _ value: String) throws(Refusal) {
        try check(ferry_easy_set_string(pointer, option, value))
    }

    func require(_ option: Int32, _ blob: TLSBlob) throws(Refusal) {
        try check(ferry_easy_set_blob(pointer, option, blob.bytes.baseAddress, blob.bytes.count))
    }

    func clear(_ option: Int32) {
        ferry_easy_set_string(pointer, option, nil)
    }

    /// The number of bytes that the TLS library has decrypted and libcurl has not read.
    var unreadTLSBytes: Int { Int(ferry_easy_tls_pending(pointer)) }

    /// Makes libcurl report the start of a handshake, and OpenSSL the chain of a server that it refuses.
    func watchHandshake(_ chains: RefusedChains, context: UnsafeMutableRawPointer) {
        _ = ferry_easy_watch_handshake(pointer, Unmanaged.passUnretained(chains).toOpaque(), context)
    }

    private func check(_ code: Int32) throws(Refusal) {
        if code != 0 { throw Refusal(curlCode: code) }
    }

    /// The chain that the server has presented, in DER, beginning with its own certificate.
    var presentedCertificates: [Data] {
        (0..<ferry_easy_certificate_count(pointer)).compactMap { index in
            guard let text = ferry_easy_certificate_field(pointer, index, "Cert") else { return nil }
            return try? PEM.blocks(in: Data(String(cString: text).utf8), what: "").first?.content
        }
    }

    /// The subject of the server's own certificate, such as `CN = localhost`.
    var presentedSubject: String? {
        ferry_easy_certificate_field(pointer, 0, "Subject").map { String(cString: $0) }
    }
}
