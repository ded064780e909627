import Ferry
import Synchronization

/// A well-formed XML text that has been parsed.
///
/// An `XMLDocument` is mutable and not thread-safe, so documents are not shared: each call of ``makeDocument()``
/// returns a separate one. The first is created together with this object; later calls parse the text again.
public final class ParsedXMLDocument: Sendable {
    /// The text.
    public let content: XMLContent

    private let options: XMLNode.Options
    private let ready: Mutex<XMLDocument?>

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - content: The text.
    ///   - options: The options for parsing. External entities are never loaded.
    /// - Throws: The error that `XMLDocument` throws.
    public init(_ content: XMLContent, options: XMLNode.Options = []) throws {
        self.content = content
        self.options = options.union(.nodeLoadExternalEntitiesNever)
        ready = Mutex(try XMLDocument(data: content.data, options: self.options))
    }

    /// Returns a document that is not used elsewhere.
    ///
    /// - Returns: A separate document on each call.
    /// - Throws: The error that `XMLDocument` throws. The first call does not throw.
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
