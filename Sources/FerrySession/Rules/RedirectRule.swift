/// The rules for how a redirect changes the request (RFC 9110, section 15.4).
enum RedirectRule {
    /// Fields that identify the user, and are therefore never sent to another origin.
    static let credentialHeaders: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Fields that describe a body, and are dropped with it.
    static let bodyHeaders: Set<String> = [
        "content-length", "content-type", "content-encoding", "content-language", "content-location", "content-md5",
        "content-range", "digest", "transfer-encoding", "expect", "trailer",
    ]

    /// Whether the status is a redirect to follow; 300, 304, 305 and 306 are not.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the method of the new request, and whether it keeps the body.
    static func method(_ method: String, status: Int) -> (method: String, keepsBody: Bool) {
        switch status {
        case 301, 302: method == "POST" ? ("GET", false) : (method, true)
        case 303: (method == "HEAD" ? "HEAD" : "GET", false)
        default: (method, true)
        }
    }

    /// Returns the new request and whether it keeps the body, or `nil` if the redirect cannot be followed.
    ///
    /// `sensitiveHeaders` are additional field names, in lower case, that must not leave the origin.
    static func redirect(
        _ request: URLRequest,
        status: Int,
        location: String,
        allowsDowngrade: Bool,
        sensitiveHeaders: Set<String> = []
    ) -> (request: URLRequest, keepsBody: Bool)? {
        guard isRedirect(status), let base = request.url, let target = resolve(location, against: base),
            let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return nil }
        if scheme == "http", base.scheme?.lowercased() == "https", !allowsDowngrade { return nil }

        var next = request
        let (method, keepsBody) = method(request.httpMethod ?? "GET", status: status)
        next.url = namesAuthority(location) ? target.presentable : target
        next.httpMethod = method
        if !keepsBody {
            next.httpBody = nil
            next.httpBodyStream = nil
        }
        remove(from: &next) { $0 == "host" || (!keepsBody && bodyHeaders.contains($0)) }
        return (withoutSecrets(next, from: base, sensitiveHeaders: sensitiveHeaders), keepsBody)
    }

    /// Whether a reference names a host: any credentials in it are chosen by the server, and never used.
    private static func namesAuthority(_ location: String) -> Bool {
        !authority(of: Array(location.trimmingCharacters(in: .whitespaces).utf8)).isEmpty
    }

    /// Returns the request without the fields that must not leave the origin of `base`.
    static func withoutSecrets(_ request: URLRequest, from base: URL, sensitiveHeaders: Set<String>) -> URLRequest {
        guard let target = request.url, Origin(base) != Origin(target) else { return request }
        var safe = request
        remove(from: &safe) { credentialHeaders.contains($0) || sensitiveHeaders.contains($0) }
        return safe
    }

    private static func remove(from request: inout URLRequest, where isRemoved: (_ foldedName: String) -> Bool) {
        for name in (request.allHTTPHeaderFields ?? [:]).keys where isRemoved(name.lowercased()) {
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// Resolves a reference as in RFC 3986, section 5.2; the fragment is inherited (RFC 9110, section 10.2.2).
    static func resolve(_ location: String, against base: URL) -> URL? {
        let reference = percentEncoded(location.trimmingCharacters(in: .whitespaces))
        guard !reference.isEmpty, var url = URL(string: reference, relativeTo: base)?.absoluteURL else { return nil }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else { return nil }
        if url.fragment == nil, let fragment = base.fragment(percentEncoded: true) {
            url = URL(string: url.absoluteString + "#" + fragment) ?? url
        }
        return url
    }

    /// Percent-encodes the bytes that a URL may not contain, and leaves all others unchanged, including `%2F`.
    ///
    /// Nothing may be left for Foundation to encode: it would also encode the percent signs again.
    private static func percentEncoded(_ string: String) -> String {
        let bytes = Array(string.utf8)
        let authority = authority(of: bytes)
        var hasFragment = false
        var result = ""
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEncoded: Bool
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "]"): isEncoded = !authority.contains(index)
            case UInt8(ascii: "%"): isEncoded = bytes[(index + 1)...].prefix(2).compactMap(\.hexValue).count < 2
            case UInt8(ascii: "#"):
                isEncoded = hasFragment
                hasFragment = true
            default: isEncoded = byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte)
            }
            if isEncoded {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }

    /// Returns the range of a reference's authority, the only place for brackets (RFC 3986, section 3.2.2).
    private static func authority(of bytes: [UInt8]) -> Range<Int> {
        let slash = UInt8(ascii: "/")
        let ends = [slash, UInt8(ascii: "?"), UInt8(ascii: "#")]
        let scheme = bytes.firstIndex { ends.contains($0) || $0 == UInt8(ascii: ":") } ?? bytes.count
        let start = bytes[scheme...].first == UInt8(ascii: ":") ? scheme + 1 : 0
        guard bytes[start...].starts(with: [slash, slash]) else { return 0..<0 }
        let end = bytes[(start + 2)...].firstIndex(where: ends.contains) ?? bytes.count
        return start + 2..<end
    }
}
