/// Sets libcurl's handle up for the request.
extension NetworkAttempt {
    /// The size of libcurl's buffer for responses, which halves the time of a download of 1 GB; unused parts are free.
    private static let receiveBufferSize = 524_288
    /// The size of libcurl's buffer for large bodies of requests.
    ///
    /// Four times libcurl's own saves calls; a larger buffer does not fit into the processor's cache, from which the
    /// kernel copies the bytes, and makes uploads take half as long again.
    private static let uploadBufferSize = 262_144

    func setUp(_ easy: EasyHandle, for exchange: Exchange) throws(URLError) {
        let engine = exchange.engine
        exchange.removeLocalPauses()
        timing.start = Date()
        easy.prepare(context: Unmanaged.passUnretained(self).toOpaque(), connections: engine.connections)
        if exchange.repetition.reconnections > 0 { easy.set(CurlOption.freshConnect, 1) }
        easy.set(CurlOption.url, prepared.url)
        let httpAndHTTPS = 3
        easy.set(CurlOption.protocols, httpAndHTTPS)
        easy.set(CurlOption.pathAsIs, 1)
        easy.set(CurlOption.contentDecoding, 0)
        easy.set(CurlOption.tcpKeepAlive, 1)
        // The deadlines are the engine's; libcurl's own would end a slow connection after five minutes.
        easy.set(CurlOption.connectTimeoutMilliseconds, Int(Int32.max))
        let http2OverTLS = 4
        easy.set(CurlOption.httpVersion, http2OverTLS)
        if prepared.origin.scheme == "https" { easy.set(CurlOption.pipeWait, 1) }
        easy.set(CurlOption.bufferSize, Self.receiveBufferSize)
        let (lines, commonCount) = exchange.headers(prepared)
        if let longest = engine.runtime.longestField, lines.contains(where: { $0.utf8.count > longest }) {
            throw longRequestHeader()
        }
        easy.setList(CurlOption.httpHeader, lines, isSecret: prepared.hasSecrets, commonCount: commonCount)
        try setUpRoute(easy, exchange)
        setUpTarget(easy, exchange)
        setUpCredentials(easy, exchange)
        try setUpTLS(easy, exchange)
        try setUpBody(easy, exchange)
        if engine.runtime.truncatesLargeHeads { makeRoom(for: lines, easy) }
    }

    /// Enlarges libcurl's buffer to the largest head that it accepts, if the request's is larger than its usual size.
    private func makeRoom(for lines: [String], _ easy: EasyHandle) {
        let (usual, largest) = (65_536, 1_048_576)
        let size = lines.reduce(prepared.url.utf8.count) { $0 + $1.utf8.count }
        if size > usual / 2 { easy.set(CurlOption.uploadBufferSize, largest) }
    }

    private func setUpTarget(_ easy: EasyHandle, _ exchange: Exchange) {
        // A proxy gets the whole URL, and libcurl computes a digest of its own target.
        guard !isForwarded, exchange.credential(isProxy: false) == nil,
            let target = RequestTargetRule.literalTarget(of: prepared.url)
        else { return }
        easy.set(CurlOption.requestTarget, target)
    }

    private func setUpCredentials(_ easy: EasyHandle, _ exchange: Exchange) {
        if let credential = exchange.credential(isProxy: false) {
            easy.set(CurlOption.httpAuthentication, credential.scheme.mask)
            easy.set(CurlOption.userName, credential.user)
            easy.set(CurlOption.password, credential.password)
        }
        if let credential = exchange.credential(isProxy: true) {
            easy.set(CurlOption.proxyAuthentication, credential.scheme.mask)
            easy.set(CurlOption.proxyUserName, credential.user)
            easy.set(CurlOption.proxyPassword, credential.password)
        }
    }

    private func setUpBody(_ easy: EasyHandle, _ exchange: Exchange) throws(URLError) {
        let method = exchange.method
        guard exchange.hasBody else {
            if method == "HEAD" {
                easy.set(CurlOption.noBody, 1)
            } else {
                easy.set(CurlOption.httpGet, 1)
                if method != "GET" { easy.set(CurlOption.customRequest, method) }
            }
            return exchange.reportRequest(bodyLength: .zero)
        }
        let reader = try exchange.makeReader(announcedLength: prepared.announcedLength)
        exchange.reader = reader
        easy.set(CurlOption.upload, 1)
        easy.set(CurlOption.customRequest, method)
        easy.set(CurlOption.bodySize, offset: reader.length.transferSize)
        let length = reader.length?.int64
        if let rate = exchange.engine.settings.maximumUploadBytesPerSecond {
            easy.set(CurlOption.maximumSendRate, offset: Int64(rate))
        } else if length == nil || length ?? 0 >= Self.uploadBufferSize {
            easy.set(CurlOption.uploadBufferSize, Self.uploadBufferSize)
        }
        exchange.reportRequest(bodyLength: reader.length)
    }
}
