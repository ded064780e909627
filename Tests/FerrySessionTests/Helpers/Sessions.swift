import FerrySession
import FerryTesting

/// Returns a session with its own configuration that shares nothing with others.
func makeSession(
    _ delegate: (any URLSessionDelegate)? = nil,
    queue: OperationQueue? = nil,
    options: CurlSession.Options = CurlSession.Options(),
    _ configure: (URLSessionConfiguration) -> Void = { _ in }
) -> CurlSession {
    let configuration = URLSessionConfiguration.ephemeral
    configure(configuration)
    return CurlSession(configuration: configuration, options: options, delegate: delegate, delegateQueue: queue)
}

extension CurlSession {
    /// Sends requests to show that something has not happened.
    ///
    /// Afterwards, the engine has carried out all calls made before, has read what servers had sent before, and has
    /// called the delegate.
    func overtake() async throws {
        let server = try LoopbackServer { _ in .text("overtaken") }
        for _ in 0..<3 { _ = try await data(from: server.url) }
        try await flushed()
    }

    /// Waits until everything on the delegate queue has run.
    func flushed() async throws {
        let done = Watched<[Bool]>([])
        flush { done.append(true) }
        _ = try await done.first()
    }
}

/// The arguments that a completion handler was called with.
struct Outcome<Value: Sendable>: Sendable {
    var value: Value?
    var response: URLResponse?
    var error: (any Error)?

    init(_ value: Value?, _ response: URLResponse?, _ error: (any Error)?) {
        (self.value, self.response, self.error) = (value, response, error)
    }

    var status: Int? { (response as? HTTPURLResponse)?.statusCode }

    var code: URLError.Code? { (error as? URLError)?.code }
}

extension URLError {
    /// Ferry's code for the cause.
    var ferryCode: CurlSessionError.Code? { (userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code }
}

/// Returns the code that a Swift task failed with, or `nil` if it succeeded.
func code<Value>(of result: Result<Value, any Error>) -> URLError.Code? {
    if case .failure(let error) = result { (error as? URLError)?.code } else { nil }
}
