internal import CFerry

/// A libcurl easy handle with its error text and lists, touched only by the thread that has its engine.
package final class EasyHandle {
    static let errorSize = 256

    private(set) var pointer: UnsafeMutableRawPointer
    /// The address of the attempt, which libcurl's callbacks get.
    private var context: UnsafeMutableRawPointer?
    private let errorText: UnsafeMutablePointer<CChar>
    private var lists: [List] = []
    /// The lines that lists with secrets end with.
    private var commonLines: [String] = []
    private var common: LineList.Pointer?

    /// A list that was passed to libcurl; the requests of a session often have the same.
    private struct List {
        let option: Int32
        var lines: [String]
        /// The fields that the lines were made of, if it is a list of fields.
        var fields: [RequestField]
        /// Whether the lines must not be kept after their request.
        var isSecret: Bool
        var pointer: LineList.Pointer?
    }

    package init?() {
        guard let pointer = ferry_easy_init() else { return nil }
        self.pointer = pointer
        errorText = .allocate(capacity: Self.errorSize)
        errorText.initialize(repeating: 0, count: Self.errorSize)
    }

    deinit {
        ferry_easy_cleanup(pointer)
        for list in lists { free(list) }
        LineList.free(common)
        errorText.deallocate()
    }

    /// Resets every option, and returns whether the handle can be used again; the multi handle keeps its caches.
    ///
    /// If libcurl cannot use its handle again, it is replaced by a new one, which costs a microsecond.
    package func reset(isReusable: Bool) -> Bool {
        if isReusable {
            ferry_easy_reset(pointer)
        } else {
            guard let fresh = ferry_easy_init() else { return false }
            ferry_easy_cleanup(pointer)
            pointer = fresh
        }
        errorText[0] = 0
        forgetSecrets()
        return true
    }

    private func forgetSecrets() {
        lists.removeAll { list in
            if list.isSecret { free(list) }
            return list.isSecret
        }
    }

    /// Frees the lists of a transfer that does not need them any more.
    package func forgetLists() {
        for list in lists {
            ferry_easy_set_pointer(pointer, list.option, nil)
            free(list)
        }
        LineList.free(common)
        (lists, common, commonLines) = ([], nil, [])
    }

    /// Frees a list, but not the common lines that it may end with or consist of.
    private func free(_ list: List) {
        if list.pointer != common { LineList.free(list.pointer) }
    }

    package var keptLines: [String] { lists.flatMap(\.lines) + commonLines }

    package func prepare(for attempt: NetworkAttempt, connections: ConnectionTable) {
        context = Unmanaged.passUnretained(attempt).toOpaque()
        errorText[0] = 0
        ferry_easy_set_callbacks(pointer, context, Unmanaged.passUnretained(connections).toOpaque())
        ferry_easy_set_pointer(pointer, CurlOption.errorBuffer, errorText)
        set(CurlOption.noSignal, 1)
        set(CurlOption.noProgress, 1)
    }

    /// Makes libcurl report what it does, in lines of text for the attempt.
    func watchText() { ferry_easy_watch_text(pointer, context) }

    /// Returns libcurl's description of the last failure.
    package func message(for code: Int32) -> String {
        let text = String(cString: errorText)
        // libcurl quotes the environment's proxy with its password.
        return text.isEmpty
            ? String(cString: ferry_easy_strerror(code)) : PresentableText.withoutUserInfo(inMessage: text)
    }

    package func set(_ option: Int32, _ value: Int) { ferry_easy_set_long(pointer, option, value) }
    package func set(_ option: Int32, offset value: Int64) { ferry_easy_set_offset(pointer, option, value) }

    func unset(_ option: Int32) { ferry_easy_set_pointer(pointer, option, nil) }

    package func set(_ option: Int32, _ value: String) {
        // Passed directly, a string would be copied into an array first.
        _ = value.withCString { ferry_easy_set_pointer(pointer, option, $0) }
    }

    /// Sets a list of header fields; its lines are made only if the last request had other fields.
    func setFields(_ option: Int32, _ fields: [RequestField], isSecret: Bool = false, commonCount: Int = 0) {
        if !fields.isEmpty, let list = lists.first(where: { $0.option == option && $0.fields == fields }) {
            ferry_easy_set_pointer(pointer, option, list.pointer)
            return
        }
        setList(option, fields.map(\.line), isSecret: isSecret, commonCount: commonCount)
        if let index = lists.firstIndex(where: { $0.option == option }) { lists[index].fields = fields }
    }

    /// Sets a list, which libcurl reads during the transfer; a secret one is freed afterwards.
    ///
    /// The last `commonCount` lines of a secret list of header fields are no secrets: they are kept, since the next
    /// request probably ends with the same.
    package func setList(_ option: Int32, _ lines: [String], isSecret: Bool = false, commonCount: Int = 0) {
        if let index = lists.firstIndex(where: { $0.option == option }) {
            if lists[index].lines == lines {
                ferry_easy_set_pointer(pointer, option, lists[index].pointer)
                return
            }
            ferry_easy_set_pointer(pointer, option, nil)
            free(lists.remove(at: index))
        }
        guard !lines.isEmpty else { return }
        let end = isSecret && commonCount > 0 ? commonList(lines.suffix(commonCount)) : nil
        let list = LineList.make(lines.dropLast(end == nil ? 0 : commonCount), before: end)
        lists.append(List(option: option, lines: lines, fields: [], isSecret: isSecret, pointer: list))
        ferry_easy_set_pointer(pointer, option, list)
    }

    private func commonList(_ lines: ArraySlice<String>) -> LineList.Pointer? {
        if lines.elementsEqual(commonLines) { return common }
        LineList.free(common)
        (common, commonLines) = (LineList.make(lines, before: nil), Array(lines))
        return common
    }

    package func long(_ info: Int32) -> Int {
        var value = 0
        ferry_easy_get_long(pointer, info, &value)
        return value
    }

    /// Makes libcurl ask repeatedly whether the transfer continues, also while it discards bytes.
    func watchProgress() { ferry_easy_watch_progress(pointer, context) }

    /// Makes libcurl ask for the fields after a body in chunks.
    func watchTrailers() { ferry_easy_watch_trailers(pointer, context) }
    package func pause(_ mask: Int32) -> Int32 { ferry_easy_pause(pointer, mask) }
}

/// Options and results of TLS connections.
extension EasyHandle {
    func require(_ option: Int32, _ value: Int) throws(CurlSessionError) {
        try check(option, ferry_easy_set_long(pointer, option, value))
    }

    func require(_ option: Int32, _ value: String) throws(CurlSessionError) {
        try check(option, value.withCString { ferry_easy_set_pointer(pointer, option, $0) })
    }

    func require(_ option: Int32, _ blob: TLSBlob) throws(CurlSessionError) {
        try check(option, ferry_easy_set_blob(pointer, option, blob.bytes.baseAddress, blob.bytes.count))
    }

    /// Throws an error if libcurl, or its TLS library, does not support an option.
    private func check(_ option: Int32, _ code: Int32) throws(CurlSessionError) {
        guard code != 0 else { return }
        let property =
            switch option {
            case CurlOption.sslVersion, CurlOption.proxySSLVersion: "minimumVersion or maximumVersion"
            case CurlOption.cipherList, CurlOption.proxyCipherList: "cipherSuites"
            case CurlOption.tls13Ciphers, CurlOption.proxyTLS13Ciphers: "tls13CipherSuites"
            case CurlOption.pinnedPublicKey: "publicKeyPins"
            case CurlOption.revocationLists, CurlOption.proxyRevocationLists: "revocationLists"
            case CurlOption.verifyStatus, CurlOption.resolverVerifyStatus: "requiresStapledStatus"
            case CurlOption.certificateBlob, CurlOption.keyBlob, CurlOption.keyPassphrase: "clientCertificate"
            default: "certificateAuthorities or trustEvaluator"
            }
        let text = "This libcurl's TLS library does not support the TLS options: \(property)"
        throw CurlSessionError(.tlsUnsupported, text, curlCode: Int(code))
    }

    /// The number of bytes that the TLS library has decrypted and libcurl has not read.
    var unreadTLSBytes: Int { Int(ferry_easy_tls_pending(pointer)) }

    /// Whether the TLS handshake of the connection has chosen HTTP/2; OpenSSL reports that before the first response.
    var hasChosenHTTP2: Bool { ferry_easy_has_chosen_http2(pointer) }

    /// Makes libcurl report the start of a handshake, and OpenSSL the chain of a server that it refuses.
    func watchHandshake(_ chains: RefusedChains) {
        chains.forget(pointer)
        _ = ferry_easy_watch_handshake(pointer, Unmanaged.passUnretained(chains).toOpaque(), context)
    }

    /// The chain that the server has presented, in DER, beginning with its own certificate.
    var presentedCertificates: [Data] {
        var certificates: [Data] = []
        for index in 0..<ferry_easy_certificate_count(pointer) {
            // If one were left out, another certificate could be taken for the server's own.
            guard let text = ferry_easy_certificate_field(pointer, index, "Cert"),
                let block = try? PEM.blocks(in: Data(String(cString: text).utf8), what: "").first
            else { return [] }
            certificates.append(block.content)
        }
        return certificates
    }

    /// The subject of the server's own certificate, such as `CN = localhost`.
    var presentedSubject: String? { ferry_easy_certificate_field(pointer, 0, "Subject").map { String(cString: $0) } }

    /// Returns libcurl's measurements of the attempt that is ending.
    package func transaction(
        _ url: URL?,
        _ method: String,
        statusCode: Int?,
        startDate: Date
    ) -> TaskMetrics.Transaction {
        let (port, address) = (long(CurlInfo.primaryPort), string(CurlInfo.primaryAddress))
        let handshake = seconds(CurlInfo.secureConnectTime)
        let isSecure = url?.scheme?.folded == "https"
        let isHandshakeMissing = isSecure && handshake == 0 && long(CurlInfo.newConnections) > 0
        let url = url?.presentable
        var result = TaskMetrics.Transaction(url: url, method: method, statusCode: statusCode, startDate: startDate)
        result.isReusedConnection = statusCode != nil && long(CurlInfo.newConnections) == 0
        let (lookup, request) = (seconds(CurlInfo.nameLookupTime), seconds(CurlInfo.preTransferTime))
        result.connect = seconds(CurlInfo.connectTime)
        result.nameLookup = result.isReusedConnection ? 0 : result.connect > 0 ? min(lookup, result.connect) : lookup
        result.secureConnect = handshake
        // Newer versions of libcurl report this time although the handshake has failed. If a request is sent again on a
        // second connection, it may be the time of the first.
        result.requestStart = isHandshakeMissing || request == 0 ? 0 : max(request, result.connect, handshake)
        let response = seconds(CurlInfo.startTransferTime)
        result.responseStart = response > 0 ? max(response, result.requestStart) : 0
        result.duration = max(seconds(CurlInfo.totalTime), result.requestStart, result.responseStart)
        result.sentBodyByteCount = offset(CurlInfo.sizeUpload)
        result.receivedBodyByteCount = offset(CurlInfo.sizeDownload)
        result.receivedHeaderByteCount = long(CurlInfo.headerSize)
        result.networkProtocolName = statusCode == nil ? nil : Self.protocolNames[long(CurlInfo.httpVersion)]
        result.remoteAddress = address.isEmpty ? nil : address
        result.remotePort = port > 0 ? port : nil
        return result
    }

    private static let protocolNames = [1: "http/1.0", 2: "http/1.1", 3: "h2", 30: "h3"]

    private func seconds(_ info: Int32) -> TimeInterval { Double(offset(info)) / 1_000_000 }

    package func offset(_ info: Int32) -> Int64 {
        var value: Int64 = 0
        ferry_easy_get_offset(pointer, info, &value)
        return value
    }

    private func string(_ info: Int32) -> String {
        var value: UnsafePointer<CChar>?
        ferry_easy_get_string(pointer, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }
}
