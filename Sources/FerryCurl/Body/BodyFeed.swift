/// Puts the bytes of a body into its ``BodyPipe``, with a content coding if there is one.
///
/// Bytes that the coding holds back are sent as soon as the pipe has nothing else, so that a body that is written
/// slowly arrives as it is written, and a body that is written fast is coded as well as possible.
package final class BodyFeed: Sendable {
    package let pipe: BodyPipe
    private let coding: ContentCoding?
    private let encoder: Mutex<ContentEncoder?>

    package init(_ pipe: BodyPipe, coding: ContentCoding?) {
        self.pipe = pipe
        self.coding = coding
        guard let coding else {
            encoder = Mutex(nil)
            return
        }
        let made = ContentEncoder(coding)
        let isMissing = made == nil
        encoder = Mutex(made)
        if isMissing {
            let text = "This process has no encoder for the content coding \(coding.name)"
            pipe.fail(CurlSessionError(.contentCodingUnavailable, text))
        }
        pipe.whenStarved { [weak self] in self?.sendWhatIsHeldBack() }
    }

    /// Appends bytes without waiting, even beyond the pipe's capacity.
    package func append(_ data: Data) throws(CurlSessionError) {
        guard coding != nil else { return try pipe.append(data) }
        let error = encoder.withLock { encoder -> CurlSessionError? in
            Self.append(encoder?.encode(data), to: pipe)
        }
        if let error { throw error }
        if pipe.isStarved { sendWhatIsHeldBack() }
    }

    /// Ends the body, with the fields that follow it.
    package func finish(trailers: [RequestField] = []) {
        if let field = trailers.first(where: { !HeaderRule.isToken($0.name) || !HeaderRule.isValue($0.value ?? "") }) {
            let name = PresentableText.argument(field.name).debugDescription
            return pipe.fail(CurlSessionError(.invalidHeader, "The trailer field \(name) is not valid"))
        }
        if coding != nil {
            encoder.withLock { encoder in
                _ = Self.append(encoder?.finish(), to: pipe)
                encoder = nil
            }
        }
        pipe.finish(trailers: trailers)
    }

    /// Does nothing while the encoder is in use: afterwards its user checks whether the pipe has run empty.
    private func sendWhatIsHeldBack() {
        encoder.withLockIfAvailable { encoder in
            guard let encoder, encoder.holdsBack, pipe.isStarved else { return }
            _ = Self.append(encoder.flush(), to: pipe)
        }
    }

    private static func append(_ data: Data?, to pipe: BodyPipe) -> CurlSessionError? {
        guard let data else {
            // The body has ended, or the library has failed.
            let error = CurlSessionError(.bodyHasEnded, "The body cannot be coded any further")
            pipe.fail(error)
            return pipe.refusal ?? error
        }
        do throws(CurlSessionError) {
            try pipe.append(data)
            return nil
        } catch {
            return error
        }
    }
}
