import FerrySession

/// What one request of a batch came to.
@dynamicMemberLookup
public struct BatchResponse<Value: Sendable>: Sendable {
    /// The place of the request in the batch, from 0.
    public var index: Int

    /// Everything the request came to.
    public var response: TaskResponse<Value>

    /// A property of the response, such as its value.
    public subscript<Member>(dynamicMember keyPath: KeyPath<TaskResponse<Value>, Member>) -> Member {
        response[keyPath: keyPath]
    }
}
