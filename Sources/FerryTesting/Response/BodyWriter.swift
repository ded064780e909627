/// A writer that sends one response body with its framing, pace and fault; it is used only on the connection's thread.
final class BodyWriter {
    private let socket: Socket
    private let isChunked: Bool
    private var chunkExtension: String?
    private var trailers: LoopbackHeaders = [:]
    private let pace: Pace
    private let fault: LoopbackResponse.Fault?
    private var faultPosition: Int
    /// Whether the client has left, or the fault has ended the body.
    private(set) var isInterrupted = false

    /// The number of body bytes sent, without framing.
    private(set) var sent = 0

    init(_ response: LoopbackResponse, isChunked: Bool, socket: Socket) {
        self.socket = socket
        self.isChunked = isChunked
        pace = Pace(bytesPerSecond: response.bytesPerSecond)
        fault = response.fault
        faultPosition = fault?.bodyPosition ?? .max
        if case .chunked(_, let trailers, let chunkExtension) = response.body {
            self.trailers = trailers
            self.chunkExtension = chunkExtension
        }
    }

    /// Sends bytes, as one chunk if the body is chunked; false if nothing more can be sent.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isInterrupted else { return false }
        guard !bytes.isEmpty else { return true }
        guard isChunked else { return writePayload(bytes) }
        let suffix = chunkExtension.map { ";" + $0 } ?? ""
        let size = String(bytes.count, radix: 16)
        return writeFraming("\(size)\(suffix)\r\n") && writePayload(bytes) && writeFraming("\r\n", hasMore: false)
    }

    /// Triggers a fault at or after the end of the body, or sends the last chunk and the trailers.
    func finish() -> Bool {
        guard !isInterrupted, faultPosition == .max || strike() else { return false }
        guard isChunked else { return true }
        let fields = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return writeFraming("0\r\n\(fields)\r\n", hasMore: false)
    }

    private func writePayload(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            if sent == faultPosition, !strike() { return false }
            let count = min(rest.count, faultPosition - sent, pace.sliceSize)
            let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            let hasMore = isChunked && fault == nil && pace.bytesPerSecond == nil
            guard noteClient(isPresent: socket.write(slice, hasMore: hasMore)) else { return false }
            sent += count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            guard noteClient(isPresent: pace.wait(after: count, on: socket)) else { return false }
        }
        return true
    }

    /// Triggers the fault; true if the body continues after it.
    private func strike() -> Bool {
        faultPosition = .max
        if case .pause(_, let seconds) = fault { return noteClient(isPresent: socket.wait(seconds)) }
        isInterrupted = true
        return false
    }

    private func writeFraming(_ text: String, hasMore: Bool = true) -> Bool {
        noteClient(isPresent: socket.write(Array(text.utf8), hasMore: hasMore))
    }

    private func noteClient(isPresent: Bool) -> Bool {
        if !isPresent { isInterrupted = true }
        return isPresent
    }
}

/// The stream to which the closure of a ``LoopbackResponse/Body/stream(_:)`` body writes.
///
/// It may only be used during that call and on the same thread.
public final class LoopbackBodyStream {
    private let writer: BodyWriter
    private let socket: Socket

    init(writer: BodyWriter, socket: Socket) {
        self.writer = writer
        self.socket = socket
    }

    /// Sends bytes; false if the client has disconnected, the server stops or the response's fault has been triggered.
    @discardableResult
    public func write(_ data: Data) -> Bool { data.withUnsafeBytes { writer.write($0) } }

    /// Sends text as UTF-8; false in the same cases as ``write(_:)-(Data)``.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    /// Waits for some seconds; returns false early if the client disconnects or the server stops.
    @discardableResult
    public func wait(_ seconds: TimeInterval) -> Bool { !writer.isInterrupted && socket.wait(seconds) }
}

extension LoopbackResponse.Body {
    /// Whether the first byte of the body may be sent later than the head.
    var isSlow: Bool {
        switch self {
        case .dripped, .stream: true
        case .data, .pattern, .chunked, .file: false
        }
    }

    /// Sends all bytes; false if the client has disconnected, a fault was triggered, or a file lacks bytes.
    ///
    /// The file may have changed since its length was announced. At most that many bytes are sent.
    func send(to writer: BodyWriter, on socket: Socket, announcedLength: Int?) -> Bool {
        switch self {
        case .data(let data): return data.withUnsafeBytes { writer.write($0) }
        case .pattern(let count, let offset):
            return Pattern.allSlices(offset: offset, count: count) { writer.write($0) }
        case .dripped(let pieces, let interval):
            return pieces.enumerated().allSatisfy { index, piece in
                (index == 0 || socket.wait(interval)) && piece.withUnsafeBytes { writer.write($0) }
            }
        case .chunked(let pieces, _, _):
            return pieces.allSatisfy { piece in piece.withUnsafeBytes { writer.write($0) } }
        case .file(let url, let range): return Self.sendFile(url, range: range, announcedLength, to: writer)
        case .stream(let write):
            write(LoopbackBodyStream(writer: writer, socket: socket))
            return !writer.isInterrupted
        }
    }

    private static func sendFile(_ url: URL, range: Range<Int>?, _ length: Int?, to writer: BodyWriter) -> Bool {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 16) { buffer in
            var position = max(0, range?.lowerBound ?? 0)
            let end = length.map { position + $0 } ?? range?.upperBound ?? .max
            while position < end {
                let count = pread(descriptor, buffer.baseAddress, min(buffer.count, end - position), position)
                guard count >= 0 else { return false }
                guard count > 0 else { return length == nil }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(count))
                guard writer.write(bytes) else { return false }
                position += count
            }
            return true
        }
    }
}
