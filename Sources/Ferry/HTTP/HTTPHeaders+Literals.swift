import Foundation

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal such as `["Accept": "text/html"]`, keeping order and duplicates.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { name, value in HTTPHeader(name, value) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// Creates a list from a literal such as `[.accept("text/html"), .bearer(token)]`.
    public init(arrayLiteral elements: HTTPHeader...) {
        self.init(elements)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The fields as lines of text.
    public var description: String { map(\.description).joined(separator: "\n") }
}
