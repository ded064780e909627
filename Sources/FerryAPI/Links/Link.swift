/// A link of a response to another resource, from a `Link` header field (RFC 8288).
///
/// ```swift
/// if let next = response.links.first(rel: "next") {
///     print(next.target, next.title ?? "no title")
/// }
/// ```
///
/// The server chooses the target, which may belong to another origin: do not send credentials there.
public struct Link: Sendable, Hashable {
    /// The URL that the link points to, resolved against the URL of the response.
    public var target: URL

    /// The resource that the link belongs to; nil for the response's own.
    public var anchor: URL?

    /// The relation types in lower case, such as `next`; at least one.
    public var relations: [String]

    /// The title, from `title*` or else from `title`.
    public var title: String?

    /// The probable content type of the target.
    public var type: String?

    /// The probable languages of the target, such as `de`; empty if the link names none.
    public var hreflang: [String]

    /// The other parameters, by names in lower case; the first value if several have the same name.
    ///
    /// A parameter without a value has an empty one.
    public var parameters: [String: String]

    /// Creates a link with the given values of its properties; relation types are converted to lower case.
    public init(
        target: URL,
        relations: [String],
        anchor: URL? = nil,
        title: String? = nil,
        type: String? = nil,
        hreflang: [String] = [],
        parameters: [String: String] = [:]
    ) {
        self.target = target
        self.relations = relations.map { $0.lowercased() }
        (self.anchor, self.title, self.type, self.hreflang) = (anchor, title, type, hreflang)
        self.parameters = parameters
    }

    /// Returns a Boolean value that indicates whether the link has a relation type, in any case.
    public func has(rel relation: String) -> Bool { relations.contains(relation.lowercased()) }

    /// Returns the links in field values, in order.
    ///
    /// Malformed links are left out, as are links without a relation type, with a target of more than 8,192 bytes, or
    /// with a relative target or anchor without a base. A parameter longer than 4,096 bytes is ignored. At most 1,000
    /// links are read.
    ///
    /// - Parameters:
    ///   - values: The values of `Link` fields, each with any number of links.
    ///   - base: The URL of the response, against which targets are resolved.
    /// - Returns: The links.
    public static func links(in values: [String], relativeTo base: URL?) -> [Link] {
        var links: [Link] = []
        for value in values {
            var parser = LinkParser(value, base: base)
            while links.count < LinkParser.maximumCount, let link = parser.next() { links.append(link) }
        }
        return links
    }
}

extension Link: RedactedDescription {
    /// The target without secrets, and the relation types.
    public var description: String {
        let target = target.presentableText
        return "<\(target)>; rel=\"\(relations.joined(separator: " "))\""
    }
}

extension Sequence<Link> {
    /// Returns the first link with a relation type, in any case, that belongs to the response itself; nil if there is
    /// none.
    ///
    /// A link with another ``Link/anchor`` belongs to another resource (RFC 8288, section 3.2).
    public func first(rel relation: String) -> Link? { first { $0.anchor == nil && $0.has(rel: relation) } }
}

extension HTTPURLResponse {
    /// The links of the response's `Link` header fields, read at each access; see ``Link/links(in:relativeTo:)``.
    public var links: [Link] { Link.links(in: headerFields.values(for: "Link"), relativeTo: url) }
}

extension TaskResponse {
    /// The links of the response's `Link` header fields, read at each access; empty without a response.
    public var links: [Link] { httpResponse?.links ?? [] }
}
