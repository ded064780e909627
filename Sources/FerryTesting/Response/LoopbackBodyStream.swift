import Foundation

/// What the closure of a ``LoopbackResponse/Body/stream(_:)`` body writes to.
///
/// It is good only during that call and on that thread.
public final class LoopbackBodyStream {
    private let writer: BodyWriter
    private let socket: Socket

    init(writer: BodyWriter, socket: Socket) {
        self.writer = writer
        self.socket = socket
    }

    /// Sends bytes; false if the client has left, the server stops or the response's fault struck.
    @discardableResult
    public func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { writer.write($0) }
    }

    /// Sends text as UTF-8; false as with ``write(_:)-(Data)``.
    @discardableResult
    public func write(_ text: String) -> Bool {
        write(Data(text.utf8))
    }

    /// Waits some seconds, but no longer than the client stays; false if it has left or the server stops.
    @discardableResult
    public func wait(_ seconds: TimeInterval) -> Bool {
        writer.interruption == nil && socket.wait(seconds)
    }
}
