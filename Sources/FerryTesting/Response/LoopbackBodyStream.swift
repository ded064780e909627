import Foundation

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
    public func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { writer.write($0) }
    }

    /// Sends text as UTF-8; false in the same cases as ``write(_:)-(Data)``.
    @discardableResult
    public func write(_ text: String) -> Bool {
        write(Data(text.utf8))
    }

    /// Waits for some seconds; returns false early if the client disconnects or the server stops.
    @discardableResult
    public func wait(_ seconds: TimeInterval) -> Bool {
        writer.interruption == nil && socket.wait(seconds)
    }
}
