/// Reads messages and control frames from the bytes of a server, which come in any pieces (RFC 6455, sections 5 and 6).
struct MessageReader: Sendable {
    /// A message or close frame that the bytes contain.
    enum Event: Hashable, Sendable {
        case message(WebSocketTask.Message)
        case ping(Data)
        case pong(Data)
        /// The server closes the connection; the code is `nil` if it gives none.
        case close(WebSocketTask.CloseCode?, Data)
    }

    private struct Frame: Sendable {
        var header: FrameHeader
        var left: Int
    }

    /// A message of which some frames have arrived.
    private struct Incoming: Sendable {
        let type: FrameType
        let isCompressed: Bool
        var data = Data()
        var validator = UTF8Validator()
    }

    /// The largest size of a message, in bytes, after its compression is undone.
    var maximumSize: Int
    private let compression: CompressionParameters?
    private var inflater: RawDeflate?
    private var head: [UInt8] = []
    private var frame: Frame?
    private var control = Data()
    private var message: Incoming?
    private var isClosed = false

    init(maximumSize: Int, compression: CompressionParameters? = nil) {
        (self.maximumSize, self.compression) = (maximumSize, compression)
        head.reserveCapacity(FrameHeader.maximumSize)
    }

    /// Reads bytes, which are removed, until they complete a message or a control frame; returns `nil` if more bytes
    /// are needed.
    ///
    /// After a close frame there is nothing more, and after an error nothing can be read.
    mutating func next(_ bytes: inout Data) throws(ProtocolViolation) -> Event? {
        let count = bytes.count
        var left = 0
        let event = try bytes.withBytes { (all) throws(ProtocolViolation) -> Event? in
            var rest = all
            defer { left = rest.count }
            while !isClosed {
                if frame == nil {
                    guard try readHead(&rest) else { return nil }
                }
                try readPayload(&rest)
                guard let frame, frame.left == 0 else { return nil }
                self.frame = nil
                if let event = try end(frame.header) { return event }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.suffix(0))
            return nil
        }
        bytes.removeFirst(count - left)
        return event
    }

    /// Reads the header of a frame, and returns whether it is complete.
    private mutating func readHead(_ rest: inout UnsafeRawBufferPointer) throws(ProtocolViolation) -> Bool {
        while head.count < 2 || head.count < FrameHeader.size(head[1]) {
            guard let byte = rest.first else { return false }
            head.append(byte)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        }
        let header = try FrameHeader(head, allowsCompression: compression != nil)
        head.removeAll(keepingCapacity: true)
        if !header.type.isControl { try begin(header) }
        frame = Frame(header: header, left: header.length)
        return true
    }

    /// Begins a frame, which may be the first one of a message.
    private mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        if header.type == .continuation {
            guard message != nil else { throw ProtocolViolation("A continuation has no message before it") }
        } else {
            guard message == nil else { throw ProtocolViolation("A message begins within another one") }
            message = Incoming(type: header.type, isCompressed: header.isCompressed)
        }
        // The size of a compressed message is checked when it is inflated.
        if message?.isCompressed == false, header.length > room { throw tooLarge }
    }

    /// The number of bytes that may still be added to the message.
    private var room: Int { maximumSize - (message?.data.count ?? 0) }

    private var tooLarge: ProtocolViolation {
        ProtocolViolation("A message has more than \(maximumSize) bytes", code: .messageTooBig)
    }

    private mutating func readPayload(_ rest: inout UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard let frame, frame.left > 0, !rest.isEmpty else { return }
        let count = min(frame.left, rest.count)
        let piece = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        self.frame?.left -= count
        if frame.header.type.isControl {
            control.append(contentsOf: piece)
        } else if message?.isCompressed == true {
            try inflate(piece)
        } else {
            try append(piece)
        }
    }

    private mutating func append(_ piece: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        if message?.type == .text, message?.validator.consume(piece) == false { throw Self.invalidText }
        message?.data.append(contentsOf: piece)
    }

    private mutating func inflate(_ piece: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard let compression else { return }
        let window = max(compression.serverWindow, RawDeflate.windows.lowerBound)
        guard let stream = inflater ?? RawDeflate(deflates: false, window: window) else {
            throw ProtocolViolation("Not enough memory to hold a compressed message", code: .messageTooBig)
        }
        inflater = stream
        do throws(ProtocolViolation) {
            try stream.inflate(piece, limit: room) { bytes throws(ProtocolViolation) in try append(bytes) }
        } catch {
            throw error.code == .messageTooBig ? tooLarge : error
        }
    }

    /// Ends a frame, which may be the last one of a message.
    private mutating func end(_ header: FrameHeader) throws(ProtocolViolation) -> Event? {
        if header.type.isControl { return try endControl(header.type) }
        guard header.isFinal else { return nil }
        if message?.isCompressed == true {
            // RFC 7692, section 7.2.2.
            try Data([0, 0, 0xFF, 0xFF]).withBytes { (end) throws(ProtocolViolation) in try inflate(end) }
            if compression?.serverForgets == true { inflater = nil }
        }
        guard let whole = message else { return nil }
        message = nil
        guard whole.type == .text else { return .message(.data(whole.data)) }
        guard whole.validator.isComplete else { throw Self.invalidText }
        return .message(.string(String(decoding: whole.data, as: UTF8.self)))
    }

    private mutating func endControl(_ type: FrameType) throws(ProtocolViolation) -> Event {
        let payload = control
        control = Data()
        guard type == .close else { return type == .ping ? .ping(payload) : .pong(payload) }
        isClosed = true
        if payload.isEmpty { return .close(nil, Data()) }
        guard payload.count >= 2 else { throw ProtocolViolation("A close frame has one byte") }
        let number = Int(payload[payload.startIndex]) << 8 | Int(payload[payload.startIndex + 1])
        let code = WebSocketTask.CloseCode(rawValue: number)
        guard code.isSendable else { throw ProtocolViolation("A close frame has the code \(number)") }
        let reason = Data(payload.dropFirst(2))
        var validator = UTF8Validator()
        guard reason.withUnsafeBytes({ validator.consume($0) }), validator.isComplete else { throw Self.invalidText }
        return .close(code, reason)
    }

    private static var invalidText: ProtocolViolation {
        ProtocolViolation("A text is not UTF-8", code: .invalidFramePayloadData)
    }
}
