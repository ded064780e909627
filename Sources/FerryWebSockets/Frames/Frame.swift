/// The types of frames (RFC 6455, section 5.2).
enum FrameType: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// A violation of the protocol, with the code for the close frame.
struct ProtocolViolation: Error, Hashable {
    let code: WebSocketTask.CloseCode
    let message: String

    init(_ message: String, code: WebSocketTask.CloseCode = .protocolError) {
        (self.code, self.message) = (code, message)
    }
}

/// The beginning of a frame, before its payload (RFC 6455, section 5.2).
struct FrameHeader: Hashable, Sendable {
    /// The size of the longest header of a frame without a mask.
    static let maximumSize = 10
    static let maximumControlPayload = 125

    var isFinal: Bool
    /// The first reserved bit, which marks a compressed message (RFC 7692, section 6).
    var isCompressed = false
    var type: FrameType
    var length: Int

    /// Returns the number of bytes of a header with a second byte.
    static func size(_ second: UInt8) -> Int {
        switch second & 0x7F {
        case 126: 4
        case 127: 10
        default: 2
        }
    }
}

extension FrameHeader {
    /// Reads the complete header of a server's frame; with compression, the first reserved bit is allowed.
    init(_ bytes: [UInt8], allowsCompression: Bool) throws(ProtocolViolation) {
        guard bytes.count >= 2, bytes.count == Self.size(bytes[1]) else {
            throw ProtocolViolation("A frame's header has \(bytes.count) bytes")
        }
        guard let type = FrameType(rawValue: bytes[0] & 0x0F) else {
            throw ProtocolViolation("A frame has the unknown type \(bytes[0] & 0x0F)")
        }
        guard bytes[1] & 0x80 == 0 else { throw ProtocolViolation("The server has masked a frame") }
        guard bytes[0] & 0x30 == 0 else { throw ProtocolViolation("A frame has reserved bits") }
        let isCompressed = bytes[0] & 0x40 != 0
        guard !isCompressed || (allowsCompression && (type == .text || type == .binary)) else {
            throw ProtocolViolation("A frame that must not be compressed is compressed")
        }
        let short = bytes[1] & 0x7F
        let length = bytes.dropFirst(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let length = Int(exactly: short < 126 ? UInt64(short) : length) else {
            throw ProtocolViolation("A frame has more than 2^63 bytes")
        }
        guard short < 126 || length >= (short == 126 ? 126 : 65_536) else {
            throw ProtocolViolation("A frame's length has more bytes than needed")
        }
        let isFinal = bytes[0] & 0x80 != 0
        if type.isControl {
            guard isFinal else { throw ProtocolViolation("A control frame is fragmented") }
            guard length <= Self.maximumControlPayload else {
                throw ProtocolViolation("A control frame has \(length) bytes")
            }
        }
        self.init(isFinal: isFinal, isCompressed: isCompressed, type: type, length: length)
    }
}

/// Makes the frames of a client, whose payloads are masked (RFC 6455, section 5.3).
enum FrameWriter {
    /// Returns all bytes of a frame; an attacker must not be able to guess the mask.
    static func frame(_ type: FrameType, _ payload: Data, isCompressed: Bool = false, mask: UInt32) -> Data {
        let count = payload.count
        var frame = Data(capacity: count + 14)
        frame.append(0x80 | (isCompressed ? 0x40 : 0) | type.rawValue)
        switch count {
        case ..<126: frame.append(0x80 | UInt8(count))
        case ..<65_536:
            frame.append(0x80 | 126)
            withUnsafeBytes(of: UInt16(count).bigEndian) { frame.append(contentsOf: $0) }
        default:
            frame.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(count).bigEndian) { frame.append(contentsOf: $0) }
        }
        withUnsafeBytes(of: mask.bigEndian) { frame.append(contentsOf: $0) }
        let start = frame.count
        frame.append(payload)
        frame.withUnsafeMutableBytes { apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
        return frame
    }

    /// Returns the payload of a close frame: the code, and a reason of at most 123 bytes.
    static func closePayload(_ code: WebSocketTask.CloseCode?, _ reason: Data) -> Data {
        guard let code, let number = UInt16(exactly: code.rawValue), code.isSendable else { return Data() }
        var text = Array(reason.prefix(124))
        // A longer reason is cut off before the character that does not fit.
        if text.count > 123 {
            while let last = text.popLast(), last & 0xC0 == 0x80 {}
        }
        return withUnsafeBytes(of: number.bigEndian) { Data($0) } + text
    }

    /// Masks bytes, or removes the mask.
    static func apply(_ mask: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
        let word = mask.bigEndian
        let wide = UInt64(word) << 32 | UInt64(word)
        var index = 0
        while bytes.count - index >= 8 {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: value ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        withUnsafeBytes(of: word) { mask in
            while index < bytes.count {
                bytes[index] ^= mask[index % 4]
                index += 1
            }
        }
    }
}
