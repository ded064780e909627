@testable import FerryWebSockets

/// The frames of a server, also those that a correct server does not send.
struct ServerFrame {
    var first: UInt8
    var payload: Data
    var isMasked = false
    /// The length that the header claims; `nil` for that of the payload.
    var claimed: UInt64?

    init(_ type: FrameType, _ payload: Data = Data(), isFinal: Bool = true, reserved: UInt8 = 0) {
        first = (isFinal ? 0x80 : 0) | reserved << 4 | type.rawValue
        self.payload = payload
    }

    init(_ type: FrameType, _ text: String, isFinal: Bool = true, reserved: UInt8 = 0) {
        self.init(type, Data(text.utf8), isFinal: isFinal, reserved: reserved)
    }

    static func close(_ code: UInt16, _ reason: Data = Data()) -> ServerFrame {
        ServerFrame(.close, withUnsafeBytes(of: code.bigEndian) { Data($0) } + reason)
    }

    var bytes: Data {
        var bytes = Data([first])
        let mask: UInt8 = isMasked ? 0x80 : 0
        let length = claimed ?? UInt64(payload.count)
        switch length {
        case ..<126: bytes.append(mask | UInt8(length))
        case ..<65_536:
            bytes.append(mask | 126)
            withUnsafeBytes(of: UInt16(length).bigEndian) { bytes.append(contentsOf: $0) }
        default:
            bytes.append(mask | 127)
            withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
        }
        if isMasked { bytes.append(contentsOf: [0, 0, 0, 0]) }
        return bytes + payload
    }
}

extension MessageReader {
    /// Reads all events of bytes that come in pieces of a size.
    static func events(
        _ bytes: Data,
        pieces: Int = .max,
        maximumSize: Int = 1_048_576,
        compression: CompressionParameters? = nil
    ) -> (events: [Event], violation: ProtocolViolation?) {
        var reader = MessageReader(maximumSize: maximumSize, compression: compression)
        var events: [Event] = []
        var rest = bytes
        while !rest.isEmpty {
            var piece = Data(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            do throws(ProtocolViolation) {
                while let event = try reader.next(&piece) { events.append(event) }
            } catch {
                return (events, error)
            }
        }
        return (events, nil)
    }
}
