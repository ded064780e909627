/// Joins the pieces of a body and splits them into the elements of a sequence.
protocol PieceSplitter<Output>: Sendable {
    /// An element.
    associatedtype Output

    /// Adds a piece, after all elements of the pieces before have been taken.
    mutating func append(_ piece: Data)

    /// Returns the next whole element, or `nil` if there is none yet; after an error there is no other element.
    mutating func next() throws(URLError) -> Output?

    /// Returns the last element, which may lack its end; call this after the last piece.
    mutating func last() throws(URLError) -> Output?
}

/// Reads elements from the pieces of a body.
struct SplitReader<Base: AsyncIteratorProtocol, Output> where Base.Element == Data {
    private var base: Base?
    private var splitter: any PieceSplitter<Output>

    init(_ base: Base, _ splitter: any PieceSplitter<Output>) { (self.base, self.splitter) = (base, splitter) }

    /// Returns the next element, and waits for it if necessary; `nil` at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
        while base != nil {
            do {
                // Many elements may have arrived that a cancelled reader does not want.
                if Task.isCancelled { try await base?.endCancelled(isolation: actor) }
                if let element = try splitter.next() { return element }
                guard let piece = try await base?.next(isolation: actor) else {
                    base = nil
                    return try splitter.last()
                }
                splitter.append(piece)
            } catch {
                // Releasing the iterator ends the transfer.
                base = nil
                throw error
            }
        }
        return nil
    }
}
