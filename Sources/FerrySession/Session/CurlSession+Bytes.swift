extension CurlSession {
    /// The body of a response, as it arrives: bytes, or ``chunks``.
    ///
    /// The transfer pauses while 1 MiB or more is unread, or 32 KiB over HTTP/1.1 while more than eight transfers are
    /// active. It is cancelled when the sequence and its iterators are released, or when the Swift task that reads is
    /// cancelled. The body can be read only once.
    public struct Bytes: AsyncSequence, Sendable {
        /// One byte.
        public typealias Element = UInt8
        /// The task that fetches the bytes.
        public let task: URLSessionDataTask

        fileprivate let owner: Owner

        /// The body in the pieces in which it arrives.
        public var chunks: Chunks { owner.chunks }
        /// Returns an iterator over the bytes.
        public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

        /// Passes the body to a function as it arrives, and returns at its end, or when the function returns `false`.
        ///
        /// The function is called in the caller's task with bytes that have arrived before, and then on the engine's
        /// thread, where other transfers wait for it; one call at a time, and none after the return.
        ///
        /// - Throws: The error that the transfer ended with.
        package func pass(to function: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) async throws {
            try await owner.stream.pass(to: function)
        }

        /// An iterator over the bytes of a response.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var chunks: Chunks.Iterator
            private var chunk = Data()
            private var index = 0

            fileprivate init(chunks: Chunks.Iterator) { self.chunks = chunks }

            /// Returns the next byte, or `nil` at the end of the body.
            ///
            /// - Throws: The error that the transfer ended with, a `URLError` unless an interceptor or a protocol class
            ///   reports another.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
                while index >= chunk.endIndex {
                    guard let next = try await chunks.next(isolation: actor) else { return nil }
                    chunk = next
                    index = next.startIndex
                }
                defer { index += 1 }
                return chunk[index]
            }
        }
    }

    /// The body of a response in the pieces in which it arrives.
    public struct Chunks: AsyncSequence, Sendable {
        /// A piece of the body.
        public typealias Element = Data

        let owner: Owner

        /// Returns an iterator over the pieces.
        public func makeAsyncIterator() -> Iterator { Iterator(owner: owner) }

        /// An iterator over the pieces of a response's body.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let owner: Owner

            /// Returns the next piece, or `nil` at the end of the body.
            ///
            /// - Throws: The error that the transfer ended with, a `URLError` unless an interceptor or a protocol class
            ///   reports another.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
                try await owner.stream.next(isolation: actor)
            }
        }
    }

    /// Cancels the transfer when the last sequence or iterator that refers to it is released.
    package final class Owner: Sendable {
        package let stream = ByteStream()
        package var chunks: Chunks { Chunks(owner: self) }

        package init() {}

        deinit { stream.cancel() }
    }

    /// Sends a request and returns as soon as the response head has arrived; the body is read from the sequence.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    public func bytes(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Bytes, URLResponse) {
        try await bytes(delegate) { makeDataTask(request, $0) }
    }

    /// Like ``bytes(for:delegate:)``; the closure is called with the task before it is resumed.
    package func bytes(
        for request: URLRequest,
        prepare: @Sendable (URLSessionTask) -> Void
    ) async throws -> (Bytes, URLResponse) {
        try await bytes(nil) { delivery in
            let task = makeDataTask(request, delivery)
            prepare(task)
            return task
        }
    }

    /// Starts a task that delivers to a stream, and waits for its response.
    func bytes(
        _ delegate: (any URLSessionTaskDelegate)?,
        _ make: (ResultDelivery) -> CurlDataTask
    ) async throws -> (Bytes, URLResponse) {
        let owner = Owner()
        let task = make(.stream(owner.stream))
        if let delegate { task.delegate = delegate }
        owner.stream.attach(task)
        if Task.isCancelled { task.cancel() } else { task.resume() }
        let response = try await owner.stream.response()
        return (Bytes(task: task, owner: owner), response.value)
    }

    /// Calls ``bytes(for:delegate:)`` with a request for a URL.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    public func bytes(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Bytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }
}
