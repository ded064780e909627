import Foundation

/// A type that validates a response and decodes its body.
///
/// A serializer is captured when a task is created, so later changes of a manager's serializer do not affect the task.
///
/// AFNetworking: `AFURLResponseSerialization`.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the decoded value.
    associatedtype Output: Sendable

    /// The maximum size of a body, in bytes; `nil` for no limit.
    ///
    /// A manager may stop a transfer as soon as it exceeds the limit.
    var maximumBytes: Int? { get }

    /// Validates a response and decodes its body.
    ///
    /// Called on the processing queue, or in the Swift task that awaits the response. It may be called for several
    /// responses at the same time.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The body; `nil` if there is none, as for a download.
    /// - Returns: The value and the error. There may be both, or neither, as for an empty body.
    func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output>
}

extension ResponseSerializer {
    /// The maximum size of a body: no limit.
    public var maximumBytes: Int? { nil }
}
