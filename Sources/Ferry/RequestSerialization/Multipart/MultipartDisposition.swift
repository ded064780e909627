import Foundation

/// The description of a part: its name, file name and content type.
struct MultipartDisposition {
    var name: String
    var fileName: String?
    var mimeType: String?

    /// The part's header fields, with `Content-Disposition` first.
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

    /// Returns a name as browsers write it: in UTF-8, with double quotes and line breaks percent-encoded.
    ///
    /// Follows WHATWG HTML, "multipart form data". NUL is encoded too, since a header field must not contain it.
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
