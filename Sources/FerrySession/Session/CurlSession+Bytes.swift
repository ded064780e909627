extension CurlSession {
    /// The body of a response as it arrives: bytes, or ``chunks``.
    ///
    /// The transfer waits while nobody reads (at most 1 MiB is kept), and is cancelled when the sequence is dropped or
    /// the Swift task that reads it is cancelled. It is read once.
    public struct Bytes: AsyncSequence, Sendable {
        /// One byte.
        public typealias Element = UInt8

        /// The task that fetches the bytes.
        public let task: URLSessionDataTask

        fileprivate let owner: Owner

        /// The bytes in the pieces they arrive in.
        public var chunks: Chunks { Chunks(owner: owner) }

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(chunks: chunks.makeAsyncIterator())
        }

        /// Reads byte by byte.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var chunks: Chunks.Iterator
            private var chunk = Data()
            private var index = 0

            fileprivate init(chunks: Chunks.Iterator) {
                self.chunks = chunks
            }

            /// The next byte, `nil` at the end; throws the `URLError` the transfer ended with.
            public mutating func next() async throws -> UInt8? {
                while index >= chunk.endIndex {
                    guard let next = try await chunks.next() else { return nil }
                    chunk = next
                    index = next.startIndex
                }
                defer { index += 1 }
                return chunk[index]
            }
        }
    }

    /// The body of a response in the pieces it arrives in.
    public struct Chunks: AsyncSequence, Sendable {
        /// Some bytes.
        public typealias Element = Data

        fileprivate let owner: Owner

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(owner: owner)
        }

        /// Reads piece by piece.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let owner: Owner

            /// The next piece, `nil` at the end; throws the `URLError` the transfer ended with.
            public mutating func next() async throws -> Data? {
                try await owner.stream.next()
            }
        }
    }

    /// Ends the transfer when the last of the sequences and iterators over it is gone.
    fileprivate final class Owner: Sendable {
        let stream: ByteStream

        init(_ stream: ByteStream) {
            self.stream = stream
        }

        deinit {
            stream.cancel()
        }
    }

    /// Sends the request and gives the response as soon as its head is there, the body as it arrives.
    ///
    /// The delegate is for this task alone.
    public func bytes(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Bytes, URLResponse) {
        let stream = ByteStream()
        let owner = Owner(stream)
        let task = makeDataTask(request, .stream(stream))
        if let delegate { task.delegate = delegate }
        stream.attach(task.core)
        task.resume()
        let response = try await stream.response()
        return (Bytes(task: task, owner: owner), response)
    }

    /// Fetches the URL and gives the response as soon as its head is there, the body as it arrives.
    ///
    /// The delegate is for this task alone.
    public func bytes(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Bytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }
}
