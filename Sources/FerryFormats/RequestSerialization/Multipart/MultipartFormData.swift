/// A `multipart/form-data` body (RFC 7578) with parts from data, files and streams, which are read when it is sent.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", name: "author")
/// try form.append(fileURL: photo, name: "photo")
/// let upload = try form.apply(to: request)
/// ```
///
/// A form is a value. Each call of ``makeInputStream()`` returns a new stream of the same parts, so that the body can
/// be sent again after a redirect or for a retry. Memory use does not depend on the size of files.
public struct MultipartFormData: Sendable {
    /// The boundary that separates the parts.
    public let boundary: String
    /// The limit on how fast the body is read, or `nil`, the default, for no limit.
    package private(set) var throttle: MultipartThrottle?
    package private(set) var parts: [MultipartPart] = []
    /// The length in bytes of all parts, with their delimiters and header lines.
    private var partsLength: Int64 = 0

    /// Creates a form without parts, with a random boundary in AFNetworking's format.
    public init() {
        boundary = "Boundary+" + UInt64.random(in: 0...UInt64.max).hexadecimal.uppercased()
    }

    /// Creates a form without parts, with the given boundary.
    ///
    /// - Parameter boundary: 1 to 70 ASCII letters, digits, spaces and characters of `'()+_,-./:=?`, not ending with a
    ///   space (RFC 2046, section 5.1.1).
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidMultipart`` if the boundary
    ///   is not valid.
    public init(boundary: String) throws {
        let isValid = boundary.utf8.allSatisfy {
            HeaderRule.isLetterOrDigit($0) || Self.boundaryPunctuation.contains($0)
        }
        guard isValid, (1...70).contains(boundary.utf8.count), boundary.last != " " else {
            throw RequestSerializationError(.invalidMultipart, reason: "The boundary is not valid (RFC 2046, 5.1.1).")
        }
        self.boundary = boundary
    }

    private static let boundaryPunctuation = Set("'()+_,-./:=? ".utf8)

    /// A Boolean value that indicates whether the form has no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The number of parts.
    public var count: Int { parts.count }

    /// A Boolean value that indicates whether the body can be read more than once.
    ///
    /// It is `false` if a part is a stream that can be read only once.
    public var isReplayable: Bool { parts.allSatisfy(\.isReplayable) }

    /// The value of the `Content-Type` field for the body.
    public var contentType: String {
        // No valid boundary has a character that a quoted string would have to escape.
        "multipart/form-data; boundary=" + (HeaderRule.isToken(boundary) ? boundary : "\"\(boundary)\"")
    }

    /// The exact length of the body in bytes, known without reading any part; 0 if there are no parts.
    public var contentLength: Int64 { parts.isEmpty ? 0 : partsLength + Int64(closingDelimiter.count) }

    /// The delimiter after the last part.
    package var closingDelimiter: Data { Data("\r\n--\(boundary)--\r\n".utf8) }

    package func delimiter(before index: Int) -> Data {
        Data((index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n").utf8)
    }

    /// Limits how fast the body is read, for networks that drop packets sent too fast.
    ///
    /// The thread that reads the body sleeps between reads. AFNetworking: `throttleBandwidthWithPacketSize:delay:`,
    /// whose suggested values are the defaults.
    ///
    /// - Parameters:
    ///   - packetSize: The maximum number of bytes that one read returns, at least 1; 16,384 by default.
    ///   - delay: The delay before each read after the first, in seconds, from 0 to 60; 0.2 by default.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidMultipart`` if one of the
    ///   values is out of range.
    public mutating func throttle(packetSize: Int = 16_384, delay: TimeInterval = 0.2) throws {
        guard packetSize > 0, (0...60).contains(delay) else {
            throw RequestSerializationError(.invalidMultipart, reason: "The packet size or the delay is out of range.")
        }
        throttle = MultipartThrottle(packetSize: packetSize, delay: delay)
    }

    /// Appends a part; throws if its length is negative or the total length would overflow.
    package mutating func append(_ part: MultipartPart) throws {
        let lines = delimiter(before: parts.count).count + part.header.count
        let (total, overflow) = (partsLength + Int64(lines)).addingReportingOverflow(part.length)
        // A thousandth of the range is reserved for the delimiters and header lines of any number of further parts.
        guard part.length >= 0, !overflow, total < Int64.max / 1000 * 999 else {
            throw RequestSerializationError(.invalidMultipart, reason: "The declared length is out of range.")
        }
        partsLength = total
        parts.append(part)
    }
}

/// A limit on how fast a multipart body is read.
package struct MultipartThrottle: Sendable {
    /// The maximum number of bytes that one read returns.
    package let packetSize: Int
    /// The delay before each read after the first, in seconds.
    package let delay: TimeInterval
}
