internal import CFerry

/// A content coding that responses can be decoded from (RFC 9110, section 8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
    case gzip
    case deflate
    case brotli = "br"
    case zstd

    package var name: String { rawValue }

    /// The codings for which this process has a decoder.
    package static let available = allCases.filter { ferry_coder_available($0.number, false) }

    /// The value of `Accept-Encoding` if the request does not set it.
    package static let acceptEncoding = available.map(\.name).joined(separator: ", ")

    /// The size of zlib's window, as a power of two.
    static let window: Int32 = 15

    /// Whether this process has an encoder for the coding.
    package var canEncode: Bool { ferry_coder_available(number, true) }

    var number: ferry_coding {
        switch self {
        case .gzip: FERRY_GZIP
        case .deflate: FERRY_DEFLATE
        case .brotli: FERRY_BROTLI
        case .zstd: FERRY_ZSTD
        }
    }

    /// Returns the codings that a `Content-Encoding` value names except `identity`, in the order of their application;
    /// `nil` if one is unknown: a body that cannot be decoded completely is delivered as received.
    package static func parse(_ value: String) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for part in value[...].utf8.parts(between: ",") {
            let name = part.trimmed
            // No known coding has a longer name.
            guard name.count <= 8 else { return nil }
            switch name.string.lowercased() {
            case "", "identity": continue
            case "x-gzip": codings.append(.gzip)
            case let name:
                guard let coding = ContentCoding(rawValue: name) else { return nil }
                codings.append(coding)
            }
        }
        return codings.allSatisfy(available.contains) ? codings : nil
    }
}

/// Decodes one content coding piece by piece and detects whether it is complete.
///
/// libcurl's decoders are not used, because libcurl 7.88 accepts a coding that ends early as complete and cannot pause
/// within a piece that unpacks to a thousand times its size.
package final class ContentDecoder {
    package enum Failure: Error {
        /// The bytes are not valid in this coding.
        case damaged
        /// The bytes unpack to more than the limit.
        case tooLarge
    }

    private let coding: ContentCoding
    private let pointer: OpaquePointer
    package private(set) var isComplete = false
    private var hasInput = false
    /// Whether the end was followed by bytes that do not start a member, so that all further input is ignored.
    private var ignoresRest = false

    package init?(_ coding: ContentCoding) {
        guard let pointer = ferry_coder_create(coding.number, false, ContentCoding.window) else { return nil }
        self.coding = coding
        self.pointer = pointer
    }

    deinit { ferry_coder_free(pointer) }

    /// Whether the input may end here; an empty body is not considered damaged.
    package var mayEnd: Bool { isComplete || !hasInput }

    /// Decodes as much of `input` as fits into `output`, and returns how many bytes were consumed and produced.
    package func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (consumed: Int, produced: Int) {
        // The end of a member is followed by another member, or by padding that is ignored, as in every browser. After
        // padding the rest is ignored too, so that the result does not depend on how the network split the body.
        if isComplete, !input.isEmpty, !startsMember(input) { ignoresRest = true }
        if ignoresRest { return (input.count, 0) }
        if !input.isEmpty { hasInput = true }
        var consumed = 0
        var produced = 0
        let status = ferry_coder_run(
            pointer,
            FERRY_CODER_CONTINUE,
            input.baseAddress?.assumingMemoryBound(to: UInt8.self),
            input.count,
            &consumed,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self),
            output.count,
            &produced
        )
        guard status != FERRY_CODER_ERROR else { throw .damaged }
        if consumed > 0 || produced > 0 { isComplete = status == FERRY_CODER_END }
        return (consumed, produced)
    }

    private func startsMember(_ input: UnsafeRawBufferPointer) -> Bool {
        switch coding {
        case .gzip: input[0] == 0x1F
        case .zstd: input[0] == 0x28 || input[0] & 0xF0 == 0x50
        case .deflate, .brotli: false
        }
    }
}
