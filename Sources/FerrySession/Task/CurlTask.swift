/// A task of ``CurlSession``, of whatever kind.
protocol CurlTask: URLSessionTask {
    var core: TaskCore { get }
}

/// Carries a handler that FoundationNetworking's signature does not call `@Sendable`.
///
/// `@unchecked Sendable`: it is called once, on one queue, after the call that brought it has returned.
struct UncheckedHandler: @unchecked Sendable {
    let call: (Data?) -> Void

    init(_ call: @escaping (Data?) -> Void) {
        self.call = call
    }
}
