import Foundation

/// A writer that sends one response body with its framing, pace and fault; it is used only on the connection's thread.
final class BodyWriter {
    enum Interruption {
        case clientLeft
        case fault
    }

    private let socket: Socket
    private let isChunked: Bool
    private let chunkExtension: String?
    private let pace: Pace
    private let fault: LoopbackResponse.Fault?
    private var faultPosition: Int
    private(set) var interruption: Interruption?

    /// The number of body bytes sent, without framing.
    private(set) var sent = 0

    init(
        socket: Socket,
        isChunked: Bool,
        chunkExtension: String?,
        pace: Pace,
        fault: LoopbackResponse.Fault?
    ) {
        self.socket = socket
        self.isChunked = isChunked
        self.chunkExtension = chunkExtension
        self.pace = pace
        self.fault = fault
        faultPosition = fault?.bodyPosition ?? .max
    }

    /// Sends bytes, as one chunk if the body is chunked; false if nothing more can be sent.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard interruption == nil else { return false }
        guard !bytes.isEmpty else { return true }
        guard isChunked else { return writePayload(bytes) }
        let suffix = chunkExtension.map { ";" + $0 } ?? ""
        let size = String(bytes.count, radix: 16)
        return writeFraming("\(size)\(suffix)\r\n") && writePayload(bytes) && writeFraming("\r\n", hasMore: false)
    }

    /// Triggers a fault at or after the end of the body, or sends the last chunk and the trailers.
    func finish(trailers: LoopbackHeaders) -> Bool {
        guard interruption == nil, faultPosition == .max || strike() else { return false }
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
            guard socket.write(slice, hasMore: isChunked && fault == nil && pace.bytesPerSecond == nil) else {
                interruption = .clientLeft
                return false
            }
            sent += count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            guard pace.wait(after: count, on: socket) else {
                interruption = .clientLeft
                return false
            }
        }
        return true
    }

    /// Triggers the fault; true if the body continues after it.
    private func strike() -> Bool {
        faultPosition = .max
        if case .pause(_, let seconds) = fault {
            if socket.wait(seconds) { return true }
            interruption = .clientLeft
            return false
        }
        interruption = .fault
        return false
    }

    private func writeFraming(_ text: String, hasMore: Bool = true) -> Bool {
        if socket.write(Array(text.utf8), hasMore: hasMore) { return true }
        interruption = .clientLeft
        return false
    }
}
