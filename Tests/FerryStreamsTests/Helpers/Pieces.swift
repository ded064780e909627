import FerryStreams

/// Bytes in pieces of a given size.
struct Pieces: AsyncSequence, Sendable {
    let data: Data
    let size: Int

    init(_ text: String, size: Int = .max) { self.init(Data(text.utf8), size: size) }

    init(_ data: Data, size: Int = .max) { (self.data, self.size) = (data, Swift.max(1, size)) }

    func makeAsyncIterator() -> Iterator { Iterator(rest: data, size: size) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: Data
        fileprivate let size: Int

        mutating func next() async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Data(rest.prefix(size))
        }
    }
}

extension AsyncSequence {
    /// Returns all elements.
    func collected() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}

/// Returns the elements before the error, and the code of the `URLError`, if there is one.
func outcome<Elements: AsyncSequence>(_ sequence: Elements) async throws -> ([Elements.Element], URLError.Code?) {
    var elements: [Elements.Element] = []
    do {
        for try await element in sequence { elements.append(element) }
    } catch let error as URLError {
        return (elements, error.code)
    }
    return (elements, nil)
}
