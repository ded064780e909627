import Ferry
import Synchronization

/// A well-formed XML text and its tree.
///
/// An `XMLDocument` can be changed and has no lock, so none is shared: each call of ``makeDocument()`` gives one of the
/// caller's own. The first was made when the response was serialized, later ones are made on the spot.
public final class ParsedXMLDocument: Sendable {
    /// The text.
    public let content: XMLContent

    private let options: XMLNode.Options
    private let ready: Mutex<XMLDocument?>

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - content: The text.
    ///   - options: How the tree is made. External entities are never loaded.
    /// - Throws: What `XMLDocument` throws.
    public init(_ content: XMLContent, options: XMLNode.Options = []) throws {
        self.content = content
        self.options = options.union(.nodeLoadExternalEntitiesNever)
        ready = Mutex(try XMLDocument(data: content.data, options: self.options))
    }

    /// Gives a tree of the caller's own.
    ///
    /// - Returns: A document nobody else has.
    /// - Throws: What `XMLDocument` throws; not the first time.
    public func makeDocument() throws -> sending XMLDocument {
        if let document = take() { return document }
        return try XMLDocument(data: content.data, options: options)
    }

    private func take() -> sending XMLDocument? {
        ready.withLock { document in
            let taken = document
            document = nil
            return taken
        }
    }
}
