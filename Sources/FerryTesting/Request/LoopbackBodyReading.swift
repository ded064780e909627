import Foundation

/// The way in which a ``LoopbackServer`` reads the body of a request, chosen when the head has arrived.
///
/// ```swift
/// LoopbackRoute("POST", "/refused", bodyReading: .early(.status(413)))
/// ```
public struct LoopbackBodyReading: Sendable {
    /// A Boolean value that indicates whether the server responds to `Expect: 100-continue` with `100 Continue`; true
    /// by default.
    ///
    /// If it is false, the server just waits for the body.
    public var sendsContinue = true

    /// The number of seconds to wait before `100 Continue` is sent and the body is read; 0 by default.
    public var delay: TimeInterval = 0

    /// The greatest number of bytes to read per second; nil, the default, for no limit.
    ///
    /// The system receives some more into its buffers; to bound that, set
    /// ``LoopbackServer/Configuration/receiveBufferSize``.
    public var bytesPerSecond: Int?

    /// A response that is sent before the whole body is read; nil, the default, to read all of it and call the handler.
    public var earlyResponse: LoopbackResponse?

    /// The number of body bytes to read before ``earlyResponse`` is sent; 0 by default.
    public var bytesBeforeEarlyResponse = 0

    /// Reads the whole body immediately and responds to an expectation with `100 Continue`.
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

    /// Responds after `bytes` body bytes, leaves the rest unread and closes the connection.
    ///
    /// With a response that has a fault, the upload is aborted: `.early(.status(200).faulted(.resetBeforeHead))`. A
    /// response of 417 refuses an expectation.
    public static func early(_ response: LoopbackResponse, afterBytes bytes: Int = 0) -> LoopbackBodyReading {
        var reading = LoopbackBodyReading()
        reading.sendsContinue = bytes > 0
        reading.earlyResponse = response
        reading.bytesBeforeEarlyResponse = bytes
        return reading
    }

    /// Creates the default way of reading.
    public init() {}
}
