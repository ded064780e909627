import Foundation

extension RequestOperation {
    /// The state of the operation.
    public var state: State { record.withLock { $0.machine.state } }

    /// A Boolean value that indicates whether the operation is paused.
    public var isPaused: Bool { state == .paused }

    /// The server's response; after a pause, the response to which the rest of the body is appended.
    public var response: URLResponse? { record.withLock { $0.body.response } }

    /// The number of bytes of the response's body that have arrived, before and after pauses.
    public var byteCount: Int64 { record.withLock { $0.body.byteCount } }

    /// The part of the body that has arrived.
    ///
    /// Nil without a response, or if the body is written to an output stream; for a stream to memory, it is available
    /// once the operation has finished.
    public var responseData: Data? {
        let (response, data, output) = record.withLock { ($0.body.response, $0.body.data, $0.settings.output) }
        guard response != nil else { return nil }
        guard let output else { return data }
        // A stream may be read only when it is no longer written to.
        return isFinished ? output.memory : nil
    }

    /// The body as text in the ``responseStringEncoding``; nil without a body, or if it is not valid in that encoding.
    public var responseString: String? {
        responseData.flatMap { Charset.string($0, encoding: responseStringEncoding) }
    }

    /// The character encoding the response names; UTF-8 if it names none or an unknown one.
    public var responseStringEncoding: String.Encoding {
        response?.declaredEncoding ?? .utf8
    }
}
