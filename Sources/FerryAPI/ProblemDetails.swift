/// The description of an error that a server sends as `application/problem+json` (RFC 9457).
///
/// ```swift
/// if let problem = error.problem,
///     problem.type == "https://example.com/problems/out-of-credit"
/// {
///     print(problem.title ?? "", problem.extensions["balance"]?.int ?? 0)
/// }
/// ```
///
/// The texts are the server's and unchanged.
public struct ProblemDetails: Sendable, Hashable {
    /// The content type of the description.
    public static let contentType = "application/problem+json"

    /// The maximum size of a body that `NetworkError.problem` reads, in bytes: 256 KiB.
    public static let maximumSize = 262_144

    /// The URI that identifies the kind of problem; `about:blank` if the status code alone does.
    ///
    /// A relative URI has been resolved against the URL of the response, if that is known.
    public var type: String

    /// A short summary of the kind of problem.
    public var title: String?

    /// The status code that the server with the problem has chosen, from 100 to 599; nil if it has sent none.
    public var status: Int?

    /// An explanation of this occurrence of the problem.
    public var detail: String?

    /// The URI that identifies this occurrence of the problem; resolved like ``type``.
    public var instance: String?

    /// All other members, by name.
    public var extensions: [String: JSONValue]

    /// Creates a description with the given values of its properties.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        (self.type, self.title, self.status, self.detail, self.instance) = (type, title, status, detail, instance)
        self.extensions = extensions
    }

    /// Creates a description from a JSON object; nil if the value is not an object.
    ///
    /// A member of the wrong type is ignored (RFC 9457, section 3.1).
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - base: The URL of the response, against which relative URIs are resolved; nil leaves them as they are.
    public init?(_ json: JSONValue, relativeTo base: URL? = nil) {
        guard var members = json.object else { return nil }
        func text(_ name: String) -> String? { members.removeValue(forKey: name)?.string }
        type = Self.resolve(text("type"), base) ?? "about:blank"
        title = text("title")
        detail = text("detail")
        instance = Self.resolve(text("instance"), base)
        status = members.removeValue(forKey: "status")?.int.flatMap { (100...599).contains($0) ? $0 : nil }
        extensions = members
    }

    /// The maximum size of a relative URI that is resolved, in bytes.
    private static let maximumReferenceSize = 8_192

    private static func resolve(_ reference: String?, _ base: URL?) -> String? {
        guard let reference, let base, reference.utf8.count <= maximumReferenceSize else { return reference }
        guard URL(string: reference)?.scheme == nil else { return reference }
        return URLReference.resolve(reference, against: base)?.absoluteString ?? reference
    }
}

extension ProblemDetails: Decodable {
    /// Decodes a description, whose relative URIs stay as they are.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let problem = ProblemDetails(try container.decode(JSONValue.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A problem is not an object")
        }
        self = problem
    }
}

extension NetworkError {
    /// The server's description of the problem, if the body is `application/problem+json` (RFC 9457).
    ///
    /// The body is parsed at each access. It is nil for any other content type, a body larger than
    /// ``ProblemDetails/maximumSize``, or one that is not a JSON object. The underlying network errors are searched
    /// too. The `message` does not contain the server's texts.
    public var problem: ProblemDetails? { ownProblem ?? (underlyingError as? NetworkError)?.problem }

    private var ownProblem: ProblemDetails? {
        guard receivedContentType == ProblemDetails.contentType, let data, data.count <= ProblemDetails.maximumSize,
            let json = try? JSONValue(json: data)
        else { return nil }
        return ProblemDetails(json, relativeTo: response?.url)
    }
}
