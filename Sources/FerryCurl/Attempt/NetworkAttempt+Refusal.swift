/// The streams of HTTP/2 that a server has refused.
extension NetworkAttempt {
    /// Has libcurl tell about streams, if a request that is not idempotent may be refused.
    ///
    /// libcurl passes a line about a connection to the request that it performs at that moment. So after the first such
    /// request, all others are watched too.
    func watchRefusals(_ easy: EasyHandle, _ engine: TransferEngine) {
        let isSecure = prepared.origin.scheme == "https"
        guard version.choice == .priorKnowledge || (isSecure && version.choice != .http1) else { return }
        if !RepetitionRule.isIdempotent(prepared.method) { engine.connections.watchesRefusals = true }
        guard engine.connections.watchesRefusals else { return }
        sending.isWatched = true
        easy.watchText(context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Notes what a line of libcurl's verbose output says about a stream.
    func note(_ line: UnsafeRawBufferPointer) {
        switch StreamNote(line) {
        case .opened(let number):
            sending.stream = number
            transfer?.engine.connections.tellsStreams = true
        case .goAway(let last): connection?.noteGoAway(last: last)
        case .refused: sending.isRefused = true
        case nil: break
        }
    }

    /// Whether the server has not processed the request, and has said so.
    var wasRefused: Bool {
        if sending.isRefused { return true }
        guard let stream = sending.stream, let last = connection?.lastStream else { return false }
        return stream > last
    }

    /// Whether the server has not processed the request that has ended with a code of libcurl's.
    ///
    /// libcurl ends a request before it has a stream, if the server has announced meanwhile that it takes no more.
    package func wasRefused(code: Int32) -> Bool {
        let isUnsent = sending.isWatched && sending.stream == nil && transfer?.engine.connections.tellsStreams == true
        return wasRefused || (code == CurlCode.http2 && isUnsent)
    }
}
