/// A task of ``CurlSession``, of any kind.
protocol CurlTask: URLSessionTask {
    var core: TaskCore { get }
}

/// A handler that is not `@Sendable` in FoundationNetworking's signature.
///
/// `@unchecked Sendable`: it is called once, by one thread.
struct UncheckedHandler: @unchecked Sendable {
    let call: (Data?) -> Void

    init(_ call: @escaping (Data?) -> Void) {
        self.call = call
    }
}
