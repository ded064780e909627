import FerrySession

/// An HTTP request as an `Operation`, whose response is validated and parsed.
///
/// ```swift
/// let operation = HTTPRequestOperation(request: URLRequest(url: url))
/// operation.responseSerializer = .json
/// operation.completion(
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

    private let parsing = Locked(Parsing())

    /// Validates and parses the response; by default it accepts status codes 200 to 299 and gives the body.
    ///
    /// Setting it forgets what was parsed: the next one to ask has it parsed anew.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { parsing.withLock { $0.serializer } }
        set { parsing.withLock { $0 = Parsing(serializer: newValue) } }
    }

    /// What the serializer made of the response; nil before the end, or if there is nothing.
    ///
    /// It is parsed once, on the processing queue, before the operation finishes.
    public var responseObject: (any Sendable)? { parsed?.value }

    /// Why the response could not be accepted or parsed; else why the transfer failed; nil if it did not, or not yet.
    override public var error: NetworkError? { parsed?.error ?? super.error }

    /// The server's response, as one of HTTP.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// Sets what is called at the end: one of two closures, once, on the ``RequestOperation/completionQueue``.
    ///
    /// Both are released then. They run before the `completionBlock`; setting them again replaces them. For an
    /// operation that is finished already, one is called at once.
    ///
    /// - Parameters:
    ///   - success: Receives the operation and its ``responseObject``.
    ///   - failure: Receives the operation and its ``error``; the object may be there too.
    public func completion(
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

    /// Gives a fresh operation, ready, with the same request, manager, serializer, closures and settings.
    ///
    /// - Parameter zone: Not used.
    /// - Returns: An operation of the same class.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? HTTPRequestOperation)?.responseSerializer = responseSerializer
        return copy
    }

    override func parseResponse() {
        _ = parse()
    }

    override var archivedSerializer: ArchivedSerializer? {
        get { ArchivedSerializer(responseSerializer) }
        set { if let newValue { responseSerializer = newValue.serializer } }
    }

    override var maximumBytes: Int? { responseSerializer.maximumBytes }

    /// What was parsed; nil before the end.
    private var parsed: SerializedResponse<any Sendable>? {
        if let known = parsing.withLock({ $0.result }) { return known }
        guard isFinished, super.error == nil else { return nil }
        return parse()
    }

    private func parse() -> SerializedResponse<any Sendable>? {
        let result = UntypedResponseSerializer(base: responseSerializer)
            .serialize(request: request, response: response, data: responseBody)
        return parsing.withLock { parsing in
            // Another thread may have parsed too.
            if parsing.result == nil { parsing.result = result }
            return parsing.result
        }
    }

    /// The body to parse; one that went to a file is validated as if there were none, as a download is.
    private var responseBody: Data? {
        let (data, output) = record.withLock { ($0.body.data, $0.settings.output) }
        return output.map(\.memory) ?? data
    }
}
