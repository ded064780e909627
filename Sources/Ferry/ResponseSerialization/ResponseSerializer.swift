import FerrySession

/// Makes a value from what a request came to.
///
/// A serializer is a value: it is captured when a task is made, and no task is touched by changes made later.
///
/// AFNetworking: `AFURLResponseSerialization`.
public protocol ResponseSerializer<Output>: Sendable {
    /// What the serializer makes.
    associatedtype Output: Sendable

    /// The largest body the serializer takes, in bytes; nil for any.
    ///
    /// A manager may stop a transfer as soon as it exceeds this.
    var maximumBytes: Int? { get }

    /// Checks a response and makes a value from its body.
    ///
    /// Runs on the processing queue, or in the Swift task that waits for the response; for many responses at once.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body; nil if there is none, as for a download.
    /// - Returns: What could be decoded and what was wrong; both can be there, and neither for an empty body.
    func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output>
}

extension ResponseSerializer {
    /// The largest body the serializer takes, in bytes: any.
    public var maximumBytes: Int? { nil }
}
