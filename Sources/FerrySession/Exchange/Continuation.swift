/// How the rest of a body is asked for: after a suspension, or with an earlier task's resume data.
struct Continuation {
    /// The offset that the current attempt asks for; `nil` where it asks for the whole.
    var offset: ByteCount?
    /// The length of the whole body, where it is known.
    var expectedTotal: ByteCount?
    /// Whether the task has been suspended since the response began; each suspension allows one continuation.
    var wasSuspended = false
    /// Whether an earlier task's download is continued, whose response this task has not received.
    var isResuming = false
    /// The response whose validator has not been read yet: few responses are ever continued.
    private var source: ReceivedResponse?
    private var knownValidator: String?

    init() {}

    /// Continues a download at its end.
    init(_ data: ResumeData, at offset: ByteCount) {
        self.offset = offset
        expectedTotal = data.expectedTotal.flatMap { ByteCount($0) }
        isResuming = true
        knownValidator = data.validator
    }

    /// Returns the validator that makes sure the rest belongs to the same entity, if there is one.
    mutating func validator(for request: URLRequest) -> String? {
        if let response = source?.value {
            source = nil
            knownValidator = (response as? HTTPURLResponse).flatMap {
                ContinuationRule.validator(for: $0, request: request)
            }
        }
        return knownValidator
    }

    /// Takes the validator from a response from now on, or from none.
    mutating func useValidator(of response: ReceivedResponse?) {
        (source, knownValidator) = (response, nil)
    }

    /// Asks for the whole body from now on.
    mutating func startOver() {
        (offset, isResuming) = (nil, false)
        useValidator(of: nil)
    }
}
