/// A ``RequestBody`` as the stream of a `URLRequest`.
///
/// A ``CurlSession`` uses the body itself; protocol classes read the stream like any other. Reading blocks until there
/// are bytes.
final class RequestBodyStream: InputStream {
    private struct State: Sendable {
        var status = Stream.Status.notOpen
        var error: (any Error)?
        var pipe: BodyPipe?
    }

    let body: RequestBody
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    init(_ body: RequestBody) {
        self.body = body
        super.init(data: Data())
    }

    // Otherwise a writer of the body would wait for ever.
    deinit { state.withLock { $0.pipe }?.close() }

    override func open() {
        guard state.withLock({ $0.status == .notOpen }) else { return }
        let wake = wake
        let pipe = body.made.open(length: body.made.length) { wake.signal() }
        let isUnwanted = state.withLock { state in
            guard state.status == .notOpen else { return true }
            state.pipe = pipe
            state.status = pipe == nil ? .error : .open
            if pipe == nil { state.error = URLError.ferryWithoutStream(url: nil) }
            return false
        }
        if isUnwanted { pipe?.close() }
    }

    override func close() {
        let pipe = state.withLock { state in
            state.status = .closed
            return state.pipe
        }
        pipe?.close()
        wake.signal()
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard maxLength > 0 else { return 0 }
        while let pipe = state.withLock({ $0.status == .open ? $0.pipe : nil }) {
            switch pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength)) {
            case .bytes(let count): return count
            case .wait: wake.wait()
            case .end: end(.atEnd)
            case .failed(let error): end(.error, error)
            case .thrown(let error): end(.error, error)
            }
        }
        return streamStatus == .atEnd ? 0 : -1
    }

    private func end(_ status: Stream.Status, _ error: (any Error)? = nil) {
        state.withLock { state in
            guard state.status == .open else { return }
            (state.status, state.error) = (status, error)
        }
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    override var hasBytesAvailable: Bool { streamStatus == .open }
    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { state.withLock { $0.error } }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

extension RequestBodyStream: ReplayableStream {
    var anotherStream: InputStream? { body.made.isReplayable ? RequestBodyStream(body) : nil }
}

extension StreamBox {
    var source: BodySource {
        switch stream {
        case let stream as RequestBodyStream: .made(stream.body.made)
        case let stream as FileBodyStream: .file(stream.url)
        default: .stream(self)
        }
    }
}

extension URLRequest {
    /// Sets a body that is made while it is sent, for any task of a ``CurlSession`` or of a manager that uses one.
    ///
    /// It replaces `httpBody`, and is set as the `httpBodyStream`.
    public mutating func setBody(_ body: RequestBody) { httpBodyStream = RequestBodyStream(body) }
}

/// A file as the stream of a `URLRequest`.
///
/// A ``CurlSession`` reads the file like the file of an upload task: without a thread for it, and from the start each
/// time that the body is sent. Protocol classes read the stream like any other.
package final class FileBodyStream: InputStream {
    let url: URL

    package init?(_ url: URL) {
        self.url = url
        super.init(url: url)
    }
}
