/// Sets libcurl's handle up for the request.
extension NetworkAttempt {
    /// The size of libcurl's buffer for responses, which halves the time of a download of 1 GB; unused parts are free.
    private static let receiveBufferSize = 524_288
    /// The size of that buffer while a few other transfers are active.
    ///
    /// With 65,536 bytes, the kernel takes 50% more time to write them to a file than with this size.
    private static let sharedReceiveBufferSize = 262_144
    /// The size of that buffer while many transfers are active, whose buffers would take much memory together.
    private static let smallReceiveBufferSize = 16_384
    /// The size of libcurl's buffer for large bodies of requests without TLS.
    ///
    /// Four times libcurl's own saves calls; a larger buffer does not fit into the processor's cache, from which the
    /// kernel copies the bytes, and makes uploads take 50% more time.
    private static let uploadBufferSize = 262_144
    /// The size of that buffer with TLS, a record: libcurl misses one in twenty of the early responses of servers that
    /// then close; with 32,768 bytes it would miss half of them, and take a third less processor time.
    private static let recordSize = 16_384

    package func setUp(_ easy: EasyHandle, for transfer: Transfer, _ receiver: any TransferReceiver) throws(URLError) {
        let engine = transfer.engine
        // Without the pauses of the previous attempt, the deadline of inactivity runs again.
        transfer.setPause(.local, false)
        (timing.start, timing.begin) = (Date.current, .now())
        easy.prepare(for: self, connections: engine.connections)
        easy.set(CurlOption.url, prepared.url)
        let httpAndHTTPS = 3
        easy.set(CurlOption.protocols, httpAndHTTPS)
        easy.set(CurlOption.pathAsIs, 1)
        easy.set(CurlOption.contentDecoding, 0)
        easy.set(CurlOption.tcpKeepAlive, 1)
        // The engine's deadlines are earlier than libcurl's limit, which libcurl divides among the addresses of a host.
        let limit = transfer.clock.connectLimit(at: engine.turnStart)
        timing.connectEnd = engine.turnStart.advanced(by: limit)
        let milliseconds = min(limit.nanoseconds / 1_000_000, UInt64(Int32.max))
        easy.set(CurlOption.connectTimeoutMilliseconds, Int(milliseconds))
        // The host may have moved since it could not be reached, so older addresses are looked up again.
        if let failure = engine.connections.failures[prepared.origin] {
            easy.set(CurlOption.lookupLifetime, Int(min(MonotonicTime.now().since(failure).seconds, 60)))
        }
        // Over HTTP/2 a server continues to send while a stream is paused, up to 32 MiB and more; a connection of the
        // transfer's own stops it.
        let isLimited = !transfer.downloadLimits.isEmpty
        try setUpVersion(easy, engine, prefersHTTP1: isLimited || transfer.usesHTTP1)
        let size = engine.active.count > 1 ? Self.sharedReceiveBufferSize : Self.receiveBufferSize
        let bufferSize = engine.hasManyTransfers ? Self.smallReceiveBufferSize : size
        // A limited transfer waits after each piece, of which none should be much more than its limit allows.
        if isLimited {
            let smallest = 1_024
            easy.set(CurlOption.bufferSize, max(smallest, min(transfer.downloadLimits.pieceSize, bufferSize)))
        } else if !prepared.isUpgrade {
            easy.set(CurlOption.bufferSize, bufferSize)
        }
        try setUpRoute(easy, engine)
        var setup = try receiver.setUp(self)
        if setup.usesNewConnection { easy.set(CurlOption.freshConnect, 1) }
        setUpJoining(easy, engine, usesNewConnection: setup.usesNewConnection)
        setUpCredentials(setup, easy)
        try setUpTLS(easy, transfer)
        try setUpResolver(easy, engine)
        try setUpBody(easy, transfer, receiver, &setup.fields)
        try setUpHeader(setup, easy, engine)
        if prepared.isUpgrade || version.isAlone { easy.set(CurlOption.freshConnect, 1) }
        if isLastUse { easy.set(CurlOption.forbidReuse, 1) }
        if engine.runtime.truncatesLargeHeads { makeRoom(for: setup.fields, easy) }
    }

    /// Whether the request is the last one on its connection.
    var isLastUse: Bool { prepared.isUpgrade || version.isAlone || prepared.endsConnection }

    private func setUpHeader(_ setup: AttemptSetup, _ easy: EasyHandle, _ engine: TransferEngine) throws(URLError) {
        if let longest = engine.runtime.longestField, setup.fields.contains(where: { $0.size > longest }) {
            throw longRequestHeader()
        }
        // nghttp2 does not send a longer header over HTTP/2, and libcurl does not notice.
        let longest = 65_536
        if headSize(setup.fields) > longest, version.choice.sharesConnections, version.choice != .http3Only {
            try setUpVersion(easy, engine, for: .pauses)
            guard version.choice == .http1 else { throw longRequestHeader() }
        }
        let isSecret = prepared.hasSecrets
        easy.setFields(CurlOption.httpHeader, setup.fields, isSecret: isSecret, commonCount: setup.commonCount)
        // Only a proxy receives these fields: libcurl never sends such a list to a server.
        let proxyFields = (setup.credentials.proxy == nil ? prepared.proxyFields : []) + tunnelFields(of: setup)
        if setup.credentials.proxy == nil || !proxyFields.isEmpty {
            easy.setFields(CurlOption.proxyHeader, proxyFields, isSecret: isSecret)
        }
        // A proxy gets the whole URL, and libcurl computes a digest of its own target.
        if !isForwarded, setup.credentials.server == nil,
            let target = RequestTargetRule.literalTarget(of: prepared.url)
        {
            easy.set(CurlOption.requestTarget, target)
        }
    }

    /// Returns how long a head may become, as nghttp2 computes it: with twelve bytes for each field.
    private func headSize(_ fields: [RequestField]) -> Int {
        fields.reduce(prepared.url.utf8.count + 512) { $0 + $1.size + 10 }
    }

    /// Enlarges libcurl's buffer to the largest head that it accepts, if the request's is larger than its usual size.
    private func makeRoom(for fields: [RequestField], _ easy: EasyHandle) {
        let (usual, largest) = (65_536, 1_048_576)
        if headSize(fields) > usual / 2 { easy.set(CurlOption.uploadBufferSize, largest) }
    }

    /// Returns the fields of a request for a tunnel: only `User-Agent` (RFC 9110, section 10.1.5).
    private func tunnelFields(of setup: AttemptSetup) -> [RequestField] {
        guard usesTunnel else { return [] }
        return setup.fields.filter { $0.value != nil && $0.name.isEqualIgnoringCase("user-agent") }
    }

    private func setUpCredentials(_ setup: AttemptSetup, _ easy: EasyHandle) {
        (credentials, sending.identity) = (setup.credentials, setup.identity)
        if let credential = credentials.server {
            easy.set(CurlOption.httpAuthentication, credential.scheme.mask)
            easy.set(CurlOption.userName, credential.user)
            easy.set(CurlOption.password, credential.password)
        }
        if let credential = credentials.proxy {
            easy.set(CurlOption.proxyAuthentication, credential.scheme.mask)
            easy.set(CurlOption.proxyUserName, credential.user)
            easy.set(CurlOption.proxyPassword, credential.password)
        }
    }

    private func setUpBody(
        _ easy: EasyHandle,
        _ transfer: Transfer,
        _ receiver: any TransferReceiver,
        _ fields: inout [RequestField]
    ) throws(URLError) {
        guard prepared.hasBody else {
            // A redirect may have dropped the body, which need not be made any further.
            transfer.reader?.close()
            transfer.reader = nil
            return setUpWithoutBody(easy, receiver)
        }
        let reader = try receiver.makeReader(announcedLength: prepared.announcedLength)
        transfer.reader = reader
        // For Digest and NTLM, libcurl sends an upload without its body at first; before 8.7 also later requests.
        if reader.length == .zero, !(reader is MadeBodyReader) {
            fields = [RequestField("Content-Length", "0")] + fields
            return setUpWithoutBody(easy, receiver)
        }
        easy.set(CurlOption.upload, 1)
        easy.set(CurlOption.customRequest, prepared.method)
        // libcurl would not read a body of zero bytes, and a made body may have more. A field has the length instead.
        let isEmpty = (reader as? MadeBodyReader)?.length == .zero
        if isEmpty { fields = [RequestField("Transfer-Encoding", nil), RequestField("Content-Length", "0")] + fields }
        let size = isEmpty ? nil : reader.length
        easy.set(CurlOption.bodySize, offset: size.transferSize)
        if let made = reader as? MadeBodyReader, made.body.sendsTrailers {
            try setUpVersion(easy, transfer.engine, for: .trailers)
            easy.watchTrailers()
        } else if size == nil, transfer.engine.runtime.mixesUpPausedStreams {
            setUpSingle(easy)
        }
        if transfer.engine.runtime.omitsBodies, credentialTakesSeveralRequests {
            setUpSingle(easy)
            // Connections over Unix-domain sockets cannot be distinguished, so the right one could not be closed.
            if route.unixSocket != nil { version.isSingle = true }
        }
        if (reader as? MadeBodyReader)?.body.endsWithResponse == true, route.unixSocket != nil {
            // Connections over Unix-domain sockets cannot be distinguished, so the end of one would not be noticed.
            easy.set(CurlOption.freshConnect, 1)
        }
        let length = reader.length?.int64
        if !prepared.isUpgrade, length.map({ $0 >= Self.uploadBufferSize }) ?? true {
            let isEncrypted = prepared.origin.scheme == "https"
            easy.set(CurlOption.uploadBufferSize, isEncrypted ? Self.recordSize : Self.uploadBufferSize)
        }
        receiver.handle(.sends(bodyLength: reader.length))
    }

    private func setUpWithoutBody(_ easy: EasyHandle, _ receiver: any TransferReceiver) {
        if prepared.method == "HEAD" {
            easy.set(CurlOption.noBody, 1)
        } else {
            easy.set(CurlOption.httpGet, 1)
            if prepared.method != "GET" { easy.set(CurlOption.customRequest, prepared.method) }
        }
        receiver.handle(.sends(bodyLength: .zero))
    }
}
