import Ferry
import FerryTesting

/// An interceptor that adds the number of a request's task, since requests may arrive in any order.
struct TaskNumbering: ImmediateRequestInterceptor {
    private static let field = "X-Task"

    /// Returns whether the request belongs to the session's first task; nil if it has no number.
    static func isFirst(_ request: LoopbackRequest) -> Bool? { request.header(field).map { $0 == "1" } }

    func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        request.setValue("\(attempt.taskIdentifier)", forHTTPHeaderField: Self.field)
        return true
    }
}
