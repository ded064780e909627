import FerrySession
import Synchronization

/// A well-formed XML text and its tree.
///
/// An `XMLDocument` can be changed and has no lock, so none is shared: each call of ``makeDocument()`` gives one of the
/// caller's own. The first was made when the response was serialized, later ones are made on the spot.
public final class ParsedXMLDocument: Sendable {
    /// The text.
    public let data: Data

    private let options: XMLNode.Options
    private let ready: Mutex<XMLDocument?>

    /// Parses a text, strictly.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - options: How the tree is made. External entities are never loaded.
    /// - Throws: ``XMLParsingError`` if the text is not well-formed, has no element or more than 250 levels.
    public init(_ data: Data, options: XMLNode.Options = []) throws {
        try XMLWellFormedness.check(data)
        self.data = data
        self.options = options.union(.nodeLoadExternalEntitiesNever)
        ready = Mutex(try XMLDocument(data: data, options: self.options))
    }

    /// Gives a tree of the caller's own.
    ///
    /// - Returns: A document nobody else has.
    /// - Throws: What `XMLDocument` throws; not the first time.
    public func makeDocument() throws -> sending XMLDocument {
        if let document = take() { return document }
        return try XMLDocument(data: data, options: options)
    }

    private func take() -> sending XMLDocument? {
        ready.withLock { document in
            let taken = document
            document = nil
            return taken
        }
    }
}
