import FerrySession

extension RequestOperation {
    /// Where the operation is in its life.
    public var state: State { record.withLock { $0.machine.state } }

    /// Whether the operation is paused.
    public var isPaused: Bool { state == .paused }

    /// The server's response; after a pause that of the first part, to which the rest belongs.
    public var response: URLResponse? { record.withLock { $0.body.response } }

    /// How many bytes of the response's body have arrived, before pauses and after them.
    public var byteCount: Int64 { record.withLock { $0.body.byteCount } }

    /// The body as far as it has arrived; nil without a response, or where it goes to a stream other than to memory.
    public var responseData: Data? {
        let (response, data, output) = record.withLock { ($0.body.response, $0.body.data, $0.settings.output) }
        guard response != nil else { return nil }
        guard let output else { return data }
        // A stream may be asked only while nobody writes to it.
        return isFinished ? output.memory : nil
    }

    /// The body as text, read by ``responseStringEncoding``; nil without a body, or if it is not such text.
    public var responseString: String? {
        responseData.flatMap { Charset.string($0, encoding: responseStringEncoding) }
    }

    /// The character encoding the response names; UTF-8 if it names none or one nobody knows.
    public var responseStringEncoding: String.Encoding {
        response?.declaredEncoding ?? .utf8
    }
}
