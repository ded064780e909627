internal import CFerry

/// A content coding that responses can be decoded from (RFC 9110, section 8.4.1).
enum ContentCoding: CaseIterable, Sendable {
    case gzip
    case deflate
    case brotli
    case zstd

    /// The codings for which this process has a decoder.
    static let available = allCases.filter { ferry_decoder_available($0.number) }

    /// The value of `Accept-Encoding` if the request does not set it.
    static let acceptEncoding = available.map(\.name).joined(separator: ", ")

    /// The complete header line, which nearly every request sends.
    static let acceptEncodingLine = "Accept-Encoding: \(acceptEncoding)"

    var name: String {
        switch self {
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        case .zstd: "zstd"
        }
    }

    var number: ferry_coding {
        switch self {
        case .gzip: FERRY_GZIP
        case .deflate: FERRY_DEFLATE
        case .brotli: FERRY_BROTLI
        case .zstd: FERRY_ZSTD
        }
    }

    /// Returns the codings that a `Content-Encoding` value names, in the order in which they were applied, without
    /// `identity`.
    ///
    /// Returns `nil` if one is unknown: a body that cannot be decoded completely is delivered as received.
    static func parse(_ value: String) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for part in value[...].utf8.parts(between: ",") {
            let name = part.trimmed
            // No known coding has a longer name.
            guard name.count <= 8 else { return nil }
            switch name.string.lowercased() {
            case "", "identity": continue
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            case "br": codings.append(.brotli)
            case "zstd": codings.append(.zstd)
            default: return nil
            }
        }
        return codings.allSatisfy(available.contains) ? codings : nil
    }
}
