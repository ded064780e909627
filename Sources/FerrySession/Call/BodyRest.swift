/// The request for the rest of a body: after a suspension, or with an earlier task's resume data.
struct BodyRest {
    /// The bytes of the body that have been delivered.
    var received = ByteCount.zero
    /// The offset that the current attempt asks for; `nil` where it asks for the whole.
    private(set) var offset: ByteCount?
    /// The length of the whole body, where it is known.
    private(set) var expectedTotal: ByteCount?
    /// Whether the task has been suspended since the response began; each suspension allows one continuation.
    private(set) var wasSuspended = false
    /// Whether an earlier task's download is continued, whose response this task has not received.
    private(set) var isResuming = false
    /// The response whose validator is read when it is needed, since few responses are ever continued.
    private var source: ReceivedResponse?
    private var knownValidator: String?

    init() {}

    /// Continues a download at its end.
    init(_ data: ResumeData) {
        // The record was checked where it was read.
        received = ByteCount(data.offset) ?? .zero
        offset = received
        expectedTotal = data.expectedTotal.flatMap { ByteCount($0) }
        isResuming = true
        knownValidator = data.validator
    }

    /// Returns the validator that makes sure the rest belongs to the same entity, if there is one.
    mutating func validator(for request: CallRequest) -> String? {
        if let response = source?.value {
            source = nil
            knownValidator = (response as? HTTPURLResponse).flatMap {
                ContinuationRule.validator(for: $0, request: request.complete)
            }
        }
        return knownValidator
    }

    /// Uses the validator of a response from now on, or none.
    mutating func useValidator(of response: ReceivedResponse?) { (source, knownValidator) = (response, nil) }

    /// Begins with a response that is delivered from its first byte.
    mutating func begin(with response: ReceivedResponse, isDecoded: Bool, isSuspended: Bool) {
        received = .zero
        (offset, isResuming) = (nil, false)
        wasSuspended = isSuspended
        expectedTotal = response.expectedLength
        // The response to a coded body has no validator.
        useValidator(of: isDecoded ? nil : response)
    }

    /// Asks for the rest with the next attempt.
    ///
    /// A suspension allows one continuation after a lost connection; `usesSuspension` indicates whether this is it.
    mutating func request(usesSuspension: Bool) {
        offset = received
        if usesSuspension { wasSuspended = false }
    }

    /// Notes that the rest follows, and returns whether the task must receive the response itself first.
    mutating func begin(isSuspended: Bool) -> Bool {
        (offset, wasSuspended) = (nil, isSuspended)
        defer { isResuming = false }
        return isResuming
    }

    mutating func noteSuspension() { wasSuspended = true }

    /// Asks for the whole body from now on.
    mutating func startOver() {
        (offset, isResuming) = (nil, false)
        useValidator(of: nil)
    }
}
