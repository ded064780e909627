/// An HTTP request as an `Operation`, whose response is validated and parsed.
///
/// ```swift
/// let operation = HTTPRequestOperation(request: URLRequest(url: url))
/// operation.responseSerializer = .json
/// operation.setCompletion(
///     success: { operation, object in print(object ?? "nothing") },
///     failure: { operation, error in print(error.message) }
/// )
/// queue.addOperation(operation)
/// ```
///
/// AFNetworking: `AFHTTPRequestOperation`.
open class HTTPRequestOperation: RequestOperation, @unchecked Sendable {
    // Unchecked since the superclass is; its own state is locked.

    private struct Parsing: Sendable {
        var serializer: any ValidatingResponseSerializer = HTTPDataResponseSerializer()
        var result: SerializedResponse<any Sendable>?
    }

    private let parsing = Mutex(Parsing())

    /// The serializer that validates and parses the response.
    ///
    /// The default accepts status codes 200 to 299 and returns the body. Setting it discards what was parsed, and the
    /// response is parsed again when a result is read.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { parsing.withLock { $0.serializer } }
        set { parsing.replace(\.self, with: Parsing(serializer: newValue)) }
    }

    /// The object that the serializer made of the response; nil before the end, or if it made none.
    ///
    /// It is parsed once, on the processing queue, before the operation finishes.
    public var responseObject: (any Sendable)? { parsed?.value }

    /// The error of the transfer, of validation or of parsing; nil before the end, or if there was none.
    override public var error: NetworkError? { parsed?.error ?? super.error }

    /// The server's response; after a pause, the response to which the rest of the body is appended.
    override public var response: HTTPURLResponse? { super.response as? HTTPURLResponse }

    /// Sets the closures for the end, one of which is called once, on the ``RequestOperation/completionQueue``.
    ///
    /// They run before the `completionBlock` and are released afterwards; setting them again replaces them. If the
    /// operation has already finished, the call is scheduled immediately.
    ///
    /// - Parameters:
    ///   - success: Called with the operation and its ``responseObject``.
    ///   - failure: Called with the operation and its ``error``; there may be a ``responseObject`` as well.
    public func setCompletion(
        success: (@Sendable (HTTPRequestOperation, (any Sendable)?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NetworkError) -> Void)? = nil
    ) {
        let handler: @Sendable (RequestOperation) -> Void = { operation in
            guard let operation = operation as? HTTPRequestOperation else { return }
            if let error = operation.error {
                failure?(operation, error)
            } else {
                success?(operation, operation.responseObject)
            }
        }
        let (isKept, old) = record.withLock { $0.setHandler(handler) }
        withExtendedLifetime(old) {}
        guard !isKept else { return }
        (completionQueue ?? manager.completionQueue).async { handler(self) }
    }

    /// Returns a new operation of the same class, with the same request, manager, serializer, closures and settings.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? HTTPRequestOperation)?.responseSerializer = responseSerializer
        return copy
    }

    override func parseResponse() { _ = parse() }

    override var archivedSerializer: ArchivedSerializer? {
        get { ArchivedSerializer(responseSerializer) }
        set { if let newValue { responseSerializer = newValue.serializer } }
    }

    override var maximumBodySize: Int? { responseSerializer.maximumBodySize }

    /// The parsed response; nil before the end.
    private var parsed: SerializedResponse<any Sendable>? {
        if let known = parsing.withLock({ $0.result }) { return known }
        guard isFinished, super.error == nil else { return nil }
        return parse()
    }

    private func parse() -> SerializedResponse<any Sendable>? {
        let (sent, metrics) = record.withLock { ($0.lastRequest ?? $0.request, $0.metrics) }
        var result = UntypedResponseSerializer(base: responseSerializer)
            .serialize(request: sent, response: super.response, data: responseBody)
        result.error = result.error?.noting(attemptsOf: metrics)
        return parsing.withLock { [result] parsing in
            // Another thread may have parsed it in the meantime.
            if parsing.result == nil { parsing.result = result }
            return parsing.result
        }
    }

    /// The body to parse; if it was written to a file, the response is validated without one, as for a download.
    private var responseBody: Data? {
        let (data, output) = record.withLock { ($0.body.collected, $0.settings.output) }
        return output.map(\.memory) ?? data
    }
}
