/// The streams of HTTP/2 that a server has refused.
extension NetworkAttempt {
    /// Makes libcurl report streams if a request that is not idempotent may be refused; returns whether it does.
    ///
    /// libcurl passes a line about a connection to the request that it performs at that moment. So after the first such
    /// request, all others are watched too. A handle is watched only when its connection has HTTP/2: before, libcurl
    /// would have the TLS library report each record of the connection. The numbers are those of one connection, so it
    /// must be known which one libcurl has chosen.
    func watchesRefusals(_ engine: TransferEngine, _ ends: Ends?) -> Bool {
        guard let easy, let ends, let connection, mayHaveStreams(engine.runtime) else { return false }
        if !RepetitionRule.isIdempotent(prepared.method) { engine.connections.watchesRefusals = true }
        // A server that wants HTTP/1.1 says so to the request itself.
        guard engine.connections.watchesRefusals || prepared.hasBody || version.choice != .negotiated,
            engine.connections.connection(from: ends.local, to: ends.remote) === connection
        else { return false }
        easy.watchText()
        // On a connection that was used before, libcurl sends a request again without a report of the reason, except
        // after this option, which has no other effect on HTTP. Afterwards it repeats only refused requests.
        let rtspReceive = 11
        if !RepetitionRule.isIdempotent(prepared.method) { easy.set(CurlOption.rtspRequest, rtspReceive) }
        return true
    }

    func mayHaveStreams(_ runtime: CurlRuntime) -> Bool {
        if connection?.isMultiplexed == true || version.choice == .priorKnowledge { return true }
        guard prepared.origin.scheme == "https", version.choice != .http1 else { return false }
        return easy?.hasChosenHTTP2 == true || !runtime.httpVersionSupport.reportsNegotiation
    }

    /// Notes what a line of libcurl's verbose output reports of a stream.
    func note(_ line: UnsafeRawBufferPointer) {
        guard sending.isWatched else { return }
        switch StreamNote(line) {
        case .opened(let number):
            sending.stream = number
            transfer?.engine.connections.reportsStreams = true
        case .goAway(let last): connection?.noteGoAway(last: last)
        case .refused: sending.isRefused = true
        case .requiresHTTP1:
            sending.isRefused = true
            transfer?.usesHTTP1 = true
        case nil: break
        }
    }

    /// Whether the server has reported that it has not processed the request.
    var wasRefused: Bool {
        guard sending.isWatched else { return false }
        guard !sending.isRefused, let stream = sending.stream else { return sending.isRefused }
        return connection?.lastStream.map { stream > $0 } ?? false
    }

    /// Whether the server has not processed the request that has ended with a code of libcurl's.
    ///
    /// libcurl ends a request before it has a stream, if the server has announced meanwhile that it takes no more.
    func wasRefused(code: Int32) -> Bool {
        let isUnsent = sending.isWatched && sending.stream == nil && transfer?.engine.connections.reportsStreams == true
        return wasRefused || (code == CurlCode.http2 && isUnsent)
    }
}
