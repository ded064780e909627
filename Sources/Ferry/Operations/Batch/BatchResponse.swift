import Foundation

/// The result of one request of a batch.
@dynamicMemberLookup
public struct BatchResponse<Value: Sendable>: Sendable {
    /// The index of the request in the batch, starting at 0.
    public var index: Int

    /// The response, with its value or error.
    public var response: TaskResponse<Value>

    /// Accesses a property of the response, such as its value.
    public subscript<Member>(dynamicMember keyPath: KeyPath<TaskResponse<Value>, Member>) -> Member {
        response[keyPath: keyPath]
    }
}
