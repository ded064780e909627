import FerrySession

/// What a part says of itself.
struct MultipartDisposition {
    var name: String
    var fileName: String?
    var mimeType: String?

    /// The part's fields, `Content-Disposition` first.
    var headers: HTTPHeaders {
        var disposition = "form-data; name=\"\(Self.escape(name))\""
        if let fileName {
            disposition += "; filename=\"\(Self.escape(fileName))\""
        }
        var headers: HTTPHeaders = ["Content-Disposition": disposition]
        if let mimeType {
            headers.add(.contentType(mimeType))
        }
        return headers
    }

    /// A name as browsers write it: what would end the quotes or the line is percent-encoded, all else is UTF-8.
    ///
    /// WHATWG HTML, "multipart form data"; NUL is encoded as well, since no field can hold it.
    static func escape(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "%22".utf8
            case 0x0D: bytes += "%0D".utf8
            case 0x0A: bytes += "%0A".utf8
            case 0x00: bytes += "%00".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
