/// A number of writes, each of which is due a fixed time after the one before.
public struct PacedWrites<Element: Sendable>: AsyncSequence, Sendable {
    private let count: Int
    private let interval: Duration
    private let element: Element

    /// Creates a sequence of `count` elements, of which `rate` are due in each second.
    public init(_ count: Int, rate: Int, of element: Element) {
        self.count = count
        interval = .seconds(1) / rate
        self.element = element
    }

    /// Returns an iterator, whose time starts now.
    public func makeAsyncIterator() -> Iterator { Iterator(left: count, interval: interval, element: element) }

    /// An iterator that waits until the next element is due.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var left: Int
        fileprivate let interval: Duration
        fileprivate let element: Element
        fileprivate var due = ContinuousClock.now

        /// Returns the next element; without waiting if it is late.
        public mutating func next() async throws -> Element? {
            guard left > 0 else { return nil }
            left -= 1
            due += interval
            if ContinuousClock.now < due { try await Task.sleep(until: due, clock: .continuous) }
            return element
        }
    }
}

/// A number of bytes in pieces that are all the same.
public struct RepeatedPieces<Element: Sendable>: AsyncSequence, Sendable {
    private let count: Int
    private let piece: Element

    /// Creates a sequence of `count` times the same element.
    public init(_ count: Int, of piece: Element) {
        self.count = count
        self.piece = piece
    }

    /// Returns an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(left: count, piece: piece) }

    /// An iterator that never waits.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var left: Int
        fileprivate let piece: Element

        /// Returns the next element.
        public mutating func next() async throws -> Element? {
            guard left > 0 else { return nil }
            left -= 1
            return piece
        }
    }
}
