/// The response of a ``FaultScript`` to one request.
///
/// ```swift
/// let steps: [FaultStep] = [
///     .reset, .respond(statusCode: 503, retryAfter: 1), .truncate(after: 1_000),
///     .pass,
/// ]
/// ```
public struct FaultStep: Sendable {
    /// The name by which ``FaultScript/counts`` counts the step.
    public let name: String

    /// A Boolean value that indicates whether the step is anything but ``pass``.
    let isFault: Bool

    /// Returns the response to a request, and may call the handler that responds without a script.
    let respond: @Sendable (LoopbackRequest, LoopbackServer.Handler) -> LoopbackResponse

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - name: The name by which ``FaultScript/counts`` counts the step.
    ///   - respond: Returns the response, on the connection's thread. It may call the handler that responds without a
    ///     script, and change its response.
    public init(
        _ name: String,
        respond: @escaping @Sendable (LoopbackRequest, LoopbackServer.Handler) -> LoopbackResponse
    ) {
        self.init(name, isFault: true, respond)
    }

    private init(
        _ name: String,
        isFault: Bool,
        _ respond: @escaping @Sendable (LoopbackRequest, LoopbackServer.Handler) -> LoopbackResponse
    ) {
        self.name = name
        self.isFault = isFault
        self.respond = respond
    }
}

extension FaultStep {
    /// The handler's response, unchanged.
    public static let pass = FaultStep("pass", isFault: false) { request, handler in handler(request) }

    /// The connection is closed without a response.
    ///
    /// A connection that was never accepted looks different to a client; for that, use a port without a server.
    public static let close = FaultStep("close") { _, _ in .empty }

    /// The connection is reset without a response.
    public static let reset = FaultStep("reset") { _, _ in LoopbackResponse().faulted(.resetBeforeHead) }

    /// Bytes that are not HTTP are sent, and the connection is closed.
    public static let garbage = garbage(Data("\u{16}\u{3}\u{1} no HTTP\r\n\r\n".utf8))

    /// These bytes are sent instead of a response, and the connection is closed.
    public static func garbage(_ bytes: Data) -> FaultStep {
        FaultStep("garbage") { _, _ in LoopbackResponse().faulted(.garbage(bytes)) }
    }

    /// The handler's response, whose connection is reset after some bytes of the body.
    public static func reset(after bytes: Int) -> FaultStep { faulted("reset", .reset(afterBodyBytes: bytes)) }

    /// The handler's response, whose connection is closed in order after some bytes of the body.
    public static func truncate(after bytes: Int) -> FaultStep { faulted("truncate", .truncate(afterBodyBytes: bytes)) }

    /// The handler's response, which stops after some bytes of the body until the client disconnects.
    public static func stall(after bytes: Int) -> FaultStep { faulted("stall", .stall(afterBodyBytes: bytes)) }

    /// Nothing is sent for some seconds; then the connection is closed without a response.
    public static func stall(_ seconds: TimeInterval) -> FaultStep {
        FaultStep("stall") { _, _ in LoopbackResponse.empty.delayed(seconds) }
    }

    /// The handler's response, with a pause of some seconds after some bytes of the body.
    public static func pause(after bytes: Int, seconds: TimeInterval) -> FaultStep {
        faulted("pause", .pause(afterBodyBytes: bytes, seconds: seconds))
    }

    /// The handler's response, with its own delays, after some seconds.
    public static func delay(_ seconds: TimeInterval) -> FaultStep {
        FaultStep("delay") { request, handler in
            let response = handler(request)
            return response.delayed(response.headDelay + seconds, body: response.bodyDelay)
        }
    }

    /// A response instead of the handler's; it is counted by its status, such as `503`.
    public static func respond(_ response: LoopbackResponse) -> FaultStep {
        FaultStep(String(response.statusCode)) { _, _ in response }
    }

    /// A response without a body, with `Retry-After` in seconds; nil for none.
    ///
    /// It is counted by its status.
    public static func respond(statusCode: Int, retryAfter: Int? = nil) -> FaultStep {
        respond(.status(statusCode, headers: retryAfter.map { ["Retry-After": String($0)] } ?? [:]))
    }

    /// The response of another handler, which is counted as `then`.
    public static func then(_ handler: @escaping LoopbackServer.Handler) -> FaultStep {
        FaultStep("then") { request, _ in handler(request) }
    }

    private static func faulted(_ name: String, _ fault: LoopbackResponse.Fault) -> FaultStep {
        FaultStep(name) { request, handler in handler(request).faulted(fault) }
    }
}
