/// A stream of server-sent events that is opened again when its connection ends (HTML standard, section 9.2).
///
/// ```swift
/// let source = session.eventSource(from: url)
/// for try await event in source { print(event.type, event.data) }
/// ```
///
/// Each connection is a task of the session, so that redirects, challenges, cookies, interceptors, proxies and trust
/// are as for other tasks. A connection that has ended, or that has failed for a reason that the policy names, is
/// followed by another one after the time that the server asks for, with the identifier of the last event in
/// `Last-Event-ID`.
///
/// The sequence ends after a response with the status 204. It throws an ``EventSourceError`` for another status than
/// 200 and for another media type than `text/event-stream`. Each iterator has connections of its own, which are closed
/// when it is released or the Swift task is cancelled. The server is read only as fast as the program iterates.
public struct EventSource: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    /// The settings of a stream.
    public struct Options: Sendable {
        /// The largest number of bytes in an event's data, and in a line; 16 MiB by default.
        public var maximumEventLength = 16_777_216
        /// The policy for connections that fail; `RetryPolicy.standard` by default.
        ///
        /// Its number of retries, 3 by default, limits consecutive failures; a response that opens the stream sets the
        /// count to zero. Its backoff also applies to consecutive connections that end without an event.
        public var retryPolicy = RetryPolicy.standard
        /// The time before the next connection, in seconds, unless the server sends one; 3 by default.
        public var reconnectionTime: TimeInterval = 3
        /// The identifier of the last event of an earlier stream to continue; by default, that in the request's field
        /// `Last-Event-ID`.
        public var lastEventID = ""
        /// Called in the Swift task that iterates when the state changes.
        public var stateDidChange: @Sendable (State) -> Void = { _ in }

        /// Creates the default options, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    /// The state of a stream.
    public enum State: Hashable, Sendable {
        /// A connection is being opened.
        case connecting
        /// The response has come, and events follow.
        case open
        /// The connection has ended, and another one follows after a time in seconds.
        case waiting(TimeInterval)
        /// There are no more events.
        case closed
    }

    let session: CurlSession
    let request: URLRequest
    let options: Options
    /// Called with the task of each connection before it is resumed.
    var prepare: @Sendable (URLSessionTask) -> Void = { _ in }
    /// Waits for a number of seconds.
    var sleep: @Sendable (TimeInterval) async throws -> Void = { try await SystemClock.sleep(TimeSpan(seconds: $0)) }

    /// Returns an iterator, which opens a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var events: ServerSentEvents<CurlSession.Chunks>.AsyncIterator?
        private var lastEventID: String
        private var reconnectionTime: TimeInterval
        /// The number of consecutive failures, and of connections that have ended since the last event.
        private var (failures, ends) = (0, 0)
        private var isClosed = false

        fileprivate init(_ source: EventSource) {
            self.source = source
            let identifier = source.options.lastEventID
            lastEventID = identifier.isEmpty ? source.request.lastEventID : identifier
            reconnectionTime = source.options.reconnectionTime
        }

        /// Returns the next event, and waits for it if necessary; `nil` after a 204.
        ///
        /// - Throws: An ``EventSourceError``, the error of the session after which there is no other connection, a
        ///   `URLError` with the code `dataLengthExceedsMaximum` for an event that is too long, or a
        ///   `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            while !isClosed {
                var failure: (any Error)?
                do {
                    if events == nil {
                        guard try await open(isolation: actor) else {
                            close()
                            return nil
                        }
                    }
                    if let event = try await nextEvent(isolation: actor) { return event }
                } catch {
                    failure = error
                }
                try await wait(after: failure, isolation: actor)
            }
            return nil
        }

        /// Opens a connection, and returns whether there are events.
        private mutating func open(isolation actor: isolated (any Actor)?) async throws -> Bool {
            source.options.stateDidChange(.connecting)
            var request = source.request
            if request.value(forHTTPHeaderField: "Accept") == nil {
                request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
            }
            request.setValue(lastEventID.isEmpty ? nil : lastEventID, forHTTPHeaderField: "Last-Event-ID")
            request.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
            let (bytes, response) = try await source.session.bytes(for: request) { [prepare = source.prepare] task in
                // The source repeats its requests itself.
                task.retryPolicy = nil
                prepare(task)
            }
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            let type = response.value(forHTTPHeaderField: "Content-Type")
            switch EventSourceRule.verdict(status: response.statusCode, mediaType: type) {
            case .ends: return false
            case .fails(let code): throw EventSourceError(code, response, mediaType: type)
            case .opens: break
            }
            let length = source.options.maximumEventLength
            events = ServerSentEvents(bytes.chunks, maximumLength: length, lastEventID: lastEventID)
                .makeAsyncIterator()
            failures = 0
            source.options.stateDidChange(.open)
            return true
        }

        private mutating func nextEvent(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            defer {
                if let events { (lastEventID, reconnectionTime) = (events.lastEventID, time(of: events)) }
            }
            guard let event = try await events?.next(isolation: actor) else { return nil }
            ends = 0
            return event
        }

        /// Returns the time before the next connection: at least a tenth of a second if the server has set it, since
        /// `retry: 0` would lead to connections without a pause.
        private func time(of events: ServerSentEvents<CurlSession.Chunks>.AsyncIterator) -> TimeInterval {
            let minimumOfServer = 0.1
            return events.reconnectionTime.map { Swift.max($0, minimumOfServer) } ?? reconnectionTime
        }

        /// Waits until the next connection may be opened, or throws the error after which there is none.
        private mutating func wait(after error: (any Error)?, isolation actor: isolated (any Actor)?) async throws {
            events = nil
            if Task.isCancelled {
                close()
                throw CancellationError()
            }
            let delay = EventSourceRule.delay(
                after: error,
                failures: failures,
                ends: ends,
                reconnectionTime: reconnectionTime,
                policy: source.options.retryPolicy,
                random: Double.random(in: 0...1)
            )
            guard let delay else {
                close()
                throw error ?? URLError(.networkConnectionLost)
            }
            if error != nil { failures += 1 }
            ends += 1
            source.options.stateDidChange(.waiting(delay))
            do {
                try await source.sleep(delay)
            } catch {
                close()
                throw error
            }
        }

        private mutating func close() {
            events = nil
            isClosed = true
            source.options.stateDidChange(.closed)
        }
    }
}

extension EventSourceError {
    init(_ code: Code, _ response: HTTPURLResponse, mediaType: String?) {
        let text =
            switch code {
            case .unacceptableStatusCode: "The response has the status \(response.statusCode)"
            default: "The response's media type is \(PresentableText.argument(mediaType ?? "missing"))"
            }
        self.init(code: code, message: text + ", so it is not a stream of events", response: response)
    }
}

extension CurlSession {
    /// Returns a stream of server-sent events.
    ///
    /// - Parameters:
    ///   - request: The request of each connection: a GET, or another method with a body in memory, which is then sent
    ///     with each connection.
    ///   - options: The settings.
    /// - Returns: The stream; nothing is sent before it is iterated.
    public func eventSource(for request: URLRequest, options: EventSource.Options = .init()) -> EventSource {
        EventSource(session: self, request: request, options: options)
    }

    /// Calls ``eventSource(for:options:)`` with a request for a URL.
    public func eventSource(from url: URL, options: EventSource.Options = .init()) -> EventSource {
        eventSource(for: URLRequest(url: url), options: options)
    }
}
