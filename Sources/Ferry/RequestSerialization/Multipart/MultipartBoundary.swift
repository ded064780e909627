import Foundation

/// The delimiter lines of a multipart body.
struct MultipartBoundary {
    private let boundary: String

    init(_ boundary: String) {
        self.boundary = boundary
    }

    /// Returns the delimiter before the header lines of the part at an index.
    func opening(index: Int) -> Data {
        Data((index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n").utf8)
    }

    /// The delimiter after the last part.
    var closing: Data { Data("\r\n--\(boundary)--\r\n".utf8) }

    /// Returns a new boundary: `Boundary+` and sixteen random hexadecimal digits, as in AFNetworking.
    static func random() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16, uppercase: true)
        return "Boundary+" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns whether RFC 2046, section 5.1.1, allows the boundary.
    static func isValid(_ boundary: String) -> Bool {
        (1...70).contains(boundary.utf8.count) && boundary.last != " " && boundary.utf8.allSatisfy(isBoundaryByte)
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            punctuation.contains(byte)
        }
    }

    private static let punctuation = Set("'()+_,-./:=? ".utf8)
}
