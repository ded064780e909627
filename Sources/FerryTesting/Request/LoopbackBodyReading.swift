import Foundation

/// How a ``LoopbackServer`` reads the body of a request, decided when the head has come.
///
/// ```swift
/// LoopbackRoute("POST", "/refused", bodyReading: .early(.status(413)))
/// ```
public struct LoopbackBodyReading: Sendable {
    /// Whether `Expect: 100-continue` is answered with `100 Continue`; otherwise the server just waits for the body.
    public var sendsContinue = true

    /// Seconds to wait before `100 Continue` is sent and the first body byte is read.
    public var delay: TimeInterval = 0

    /// How many bytes to read each second at most; nil for no limit.
    ///
    /// The system accepts some more on its own: make ``LoopbackServer/Configuration/receiveBufferSize`` small.
    public var bytesPerSecond: Int?

    /// An answer that does not wait for the whole body; nil to read it all and to call the handler.
    public var earlyResponse: LoopbackResponse?

    /// How many body bytes are read before ``earlyResponse`` is sent.
    public var bytesBeforeEarlyResponse = 0

    /// Reads the whole body at once and answers an expectation with `100 Continue`.
    public static let whole = LoopbackBodyReading()

    /// Reads the whole body and ignores an expectation.
    public static let withoutContinue: LoopbackBodyReading = {
        var reading = LoopbackBodyReading()
        reading.sendsContinue = false
        return reading
    }()

    /// Reads the whole body after a delay in seconds.
    public static func delayed(_ seconds: TimeInterval) -> LoopbackBodyReading {
        var reading = LoopbackBodyReading()
        reading.delay = seconds
        return reading
    }

    /// Reads the whole body slowly.
    public static func paced(bytesPerSecond: Int) -> LoopbackBodyReading {
        var reading = LoopbackBodyReading()
        reading.bytesPerSecond = bytesPerSecond
        return reading
    }

    /// Answers after `bytes` body bytes, leaves the rest unread and closes the connection.
    ///
    /// With a faulted response this is how an upload is cut: `.early(.status(200).faulted(.resetBeforeHead))`.
    /// An answer of 417 refuses an expectation.
    public static func early(_ response: LoopbackResponse, afterBytes bytes: Int = 0) -> LoopbackBodyReading {
        var reading = LoopbackBodyReading()
        reading.sendsContinue = bytes > 0
        reading.earlyResponse = response
        reading.bytesBeforeEarlyResponse = bytes
        return reading
    }

    /// Creates the plain way of reading, to be changed.
    public init() {}
}
