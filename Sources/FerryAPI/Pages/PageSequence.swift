extension HTTPSessionManager {
    /// Returns the pages of a list, each of which is requested when it is asked for.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - next: How a page refers to the next one; by default with a `Link` header field.
    ///   - maximumPages: The greatest number of pages; at least 1. If there are more, the sequence throws an error
    ///     after the last one; for the first few pages of a list, use `prefix(_:)`.
    /// - Returns: The sequence of pages.
    public func pages<Value>(
        of request: Request<Value>,
        next: NextPage<Value> = .link(),
        maximumPages: Int = 1_000
    ) -> PageSequence<Value> {
        PageSequence(manager: self, first: request, next: next, maximumPages: Swift.max(1, maximumPages))
    }

    /// Returns the pages of a list, whose requests a closure returns; see ``NextPage/request(_:)``.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - maximumPages: The greatest number of pages; at least 1.
    ///   - next: Returns the request for the page after the given one; nil after the last one.
    /// - Returns: The sequence of pages.
    public func pages<Value>(
        of request: Request<Value>,
        maximumPages: Int = 1_000,
        next: @escaping @Sendable (TaskResponse<Value>) -> Request<Value>?
    ) -> PageSequence<Value> {
        pages(of: request, next: .request(next), maximumPages: maximumPages)
    }
}

/// The pages of a list that a server returns in parts.
///
/// ```swift
/// for try await page in manager.pages(of: .get("users", as: [User].self)) {
///     print(page.value.map(\.name), page.statusCode ?? 0)
/// }
/// ```
///
/// Nothing is requested before a page is asked for, and at most one request is running. Each iterator begins with the
/// first page. The sequence ends after a page that refers to no other. Cancelling the Swift task cancels the running
/// request.
///
/// A page that fails ends the sequence with its error. A page that must not be requested ends it with
/// `NetworkError.Code.nextPageRefused` and a ``PaginationError``, after the page before it.
public struct PageSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// One page of the list.
    public typealias Element = Page

    let manager: HTTPSessionManager
    let first: Request<Value>
    let next: NextPage<Value>
    let maximumPages: Int

    /// Returns an iterator, which begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(manager: manager, cursor: PageCursor(first: first, next: next, maximumPages: maximumPages))
    }

    /// One page of a list, with its value and response.
    @dynamicMemberLookup
    public struct Page: Sendable {
        /// The index of the page, starting at 0.
        public var index: Int

        /// The decoded value.
        public var value: Value

        /// The whole response.
        public var response: TaskResponse<Value>

        /// Accesses a property of the response, such as its links.
        public subscript<Member>(dynamicMember keyPath: KeyPath<TaskResponse<Value>, Member>) -> Member {
            response[keyPath: keyPath]
        }
    }

    /// An iterator over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error of a page that cannot be fetched.
        public typealias Failure = NetworkError

        fileprivate let manager: HTTPSessionManager
        fileprivate var cursor: PageCursor<Value>

        /// Requests the next page and returns it; nil after the last one or an error.
        ///
        /// - Parameter actor: The actor that the caller is isolated to.
        /// - Returns: The page.
        /// - Throws: The error of the response, `NetworkError.Code.noValue` if it has no value,
        ///   `NetworkError.Code.nextPageRefused`, or `NetworkError.Code.cancelled` if the Swift task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Page? {
            guard let request = try cursor.nextRequest() else { return nil }
            let (response, sentURL) = await manager.responseAndSentURL(for: request)
            guard response.value != nil || response.error != nil else { throw response.noValue }
            let value = try response.get()
            return Page(index: cursor.advance(past: response, sentTo: sentURL), value: value, response: response)
        }
    }
}

extension HTTPSessionManager {
    /// Sends a request and returns the response, with the URL that the request was sent to before any redirect.
    fileprivate func responseAndSentURL<Value>(for request: Request<Value>) async -> (TaskResponse<Value>, URL?) {
        let sentURL = Mutex<URL?>(nil)
        let response = await completion { handler in
            let task = self.task(for: request, completionHandler: handler)
            sentURL.withLock { $0 = task?.originalRequest?.url }
            return task
        }
        return (response, sentURL.withLock { $0 })
    }
}
