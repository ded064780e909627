import FerrySession

/// A `multipart/form-data` body (RFC 7578): parts of data, files and streams, read only when the body is sent.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", name: "author")
/// try form.append(fileURL: photo, name: "photo")
/// let upload = try form.apply(to: request)
/// ```
///
/// A form is a value; each ``makeInputStream()`` gives a new stream over the same parts, so a body can be sent again
/// after a redirect or for a retry. Memory stays flat for files of any size.
public struct MultipartFormData: Sendable {
    /// What separates the parts.
    public let boundary: String
    /// How fast the body may be read; `nil` for as fast as it goes.
    public private(set) var throttle: MultipartThrottle?
    private(set) var parts: [MultipartPart] = []
    /// The bytes of all parts with the lines before them.
    private var partsLength: Int64 = 0

    /// Creates a form without parts, with a random boundary in AFNetworking's form.
    public init() {
        boundary = MultipartBoundary.random()
    }

    /// Creates a form without parts.
    ///
    /// - Parameter boundary: 1 to 70 letters, digits, spaces and `'()+_,-./:=?`, the last no space (RFC 2046, 5.1.1).
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidMultipart``.
    public init(boundary: String) throws {
        guard MultipartBoundary.isValid(boundary) else {
            throw RequestSerializationError(.invalidMultipart, reason: "The boundary is not one RFC 2046 allows.")
        }
        self.boundary = boundary
    }

    /// Whether there are no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The number of parts.
    public var count: Int { parts.count }

    /// Whether the body can be read any number of times: no part is a stream that only exists once.
    public var isReplayable: Bool { parts.allSatisfy(\.body.isReplayable) }

    /// The value of the `Content-Type` field that goes with the body.
    public var contentType: String { "multipart/form-data; boundary=\(HTTPSyntax.tokenOrQuotedString(boundary))" }

    /// The exact length of the body in bytes, known without reading any part; 0 without parts.
    public var contentLength: Int64 {
        parts.isEmpty ? 0 : partsLength + Int64(MultipartBoundary(boundary).closing.count)
    }

    /// Slows the reading of the body down, for networks that drop what comes too fast.
    ///
    /// The thread that reads the body sleeps between packets. AFNetworking: `throttleBandwidthWithPacketSize:delay:`,
    /// with the same suggested values.
    ///
    /// - Parameters:
    ///   - packetSize: The most bytes one read gives, at least 1.
    ///   - delay: The time between two reads in seconds, at most a minute.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidMultipart``.
    public mutating func throttle(packetSize: Int = 16_384, delay: TimeInterval = 0.2) throws {
        guard packetSize > 0, (0...60).contains(delay) else {
            throw RequestSerializationError(.invalidMultipart, reason: "The packet size or the delay is out of range.")
        }
        throttle = MultipartThrottle(packetSize: packetSize, delay: delay)
    }

    /// Appends a part; throws if the body would get too long to be counted.
    mutating func append(_ part: MultipartPart) throws {
        let lines = MultipartBoundary(boundary).opening(index: parts.count).count + part.header.count
        let (total, overflow) = (partsLength + Int64(lines)).addingReportingOverflow(part.length)
        // A thousandth of the range is left free for the lines of any number of further parts.
        guard part.length >= 0, !overflow, total < Int64.max / 1000 * 999 else {
            throw RequestSerializationError(.invalidMultipart, reason: "The declared length is out of range.")
        }
        partsLength = total
        parts.append(part)
    }
}
