extension NetworkError {
    /// Creates an error from an error of the transport, a file or a decoder.
    ///
    /// `URLError` and `NSURLErrorDomain` codes, Cocoa and POSIX errors, `CancellationError`, `DecodingError` and
    /// `EncodingError` are mapped to a code, all others to ``Code/unknown``; the error becomes the ``underlyingError``.
    /// A `NetworkError` is kept, and only its missing properties are filled in. A ``RequestSerializationError`` becomes
    /// the underlying error itself, even if it is wrapped in a transport error because it occurred while the body was
    /// being sent.
    ///
    /// - Parameters:
    ///   - error: The error to wrap.
    ///   - request: The request that failed.
    ///   - response: The response, if there is one.
    ///   - data: The part of the body that has arrived.
    public init(
        transport error: any Error,
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data? = nil
    ) {
        if let known = error as? NetworkError {
            self = known
            self.response = (known.response ?? response as? HTTPURLResponse)?.presentable
            self.data = known.data ?? data
            self.failingURL = (known.failingURL ?? response?.url ?? request?.url)?.withoutSecrets
            return
        }
        let bridged = error as NSError
        let beneath = bridged.userInfo[NSUnderlyingErrorKey] as? RequestSerializationError
        if let error = error as? RequestSerializationError ?? beneath {
            self.init(error, request: request, response: response, data: data)
            return
        }
        let failingURL = bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let code = Code(mapping: error)
        self.init(
            code,
            message: Self.sentence(for: code, error: bridged, url: failingURL ?? request?.url),
            failingURL: failingURL ?? response?.url ?? request?.url,
            response: response as? HTTPURLResponse,
            data: data,
            underlyingError: (error as? URLError)?.presentable ?? error,
            decodingError: error is DecodingError ? error : nil,
            resumeData: bridged.userInfo["NSURLSessionDownloadTaskResumeData"] as? Data
        )
    }

    /// Returns the meaning of the code for this host, followed by what the transport's description adds to it.
    private static func sentence(for code: Code, error: NSError, url: URL?) -> String {
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        // The error's own words name the file, for example; those of the system do not.
        let own = error.userInfo[NSLocalizedDescriptionKey] as? String
        let detail = own ?? (underlying ?? error).localizedDescription
        guard let meaning = code.meaning else { return detail }
        let host = url?.presentableHost
        let start = meaning + (host.map { " (\($0))" } ?? "")
        // Without a description of its own, the error has Foundation's, which says no more than the code.
        let isEmpty = own == nil && underlying == nil && error.domain == NSURLErrorDomain
        let addition = isEmpty ? "" : TransportDetail.addition(to: code, detail, host: host, url: url?.presentableText)
        return addition.isEmpty ? start : "\(start): \(addition)"
    }
}

/// The rule by which a transport's description follows the meaning of its code without repeating it.
package enum TransportDetail {
    /// Returns the part of a description that the meaning of the code, the host and the URL do not have; empty for
    /// none.
    package static func addition(to code: NetworkError.Code, _ detail: String, host: String?, url: String?) -> String {
        var text = detail
        let meaning = code.meaning ?? ""
        if text.hasPrefix(meaning + ": ") { text.removeFirst(meaning.count + 2) }
        if let url, let range = text.range(of: " (\(url))") { text.removeSubrange(range) }
        let host = host ?? ""
        // A URL without a host stands in the host's place.
        if !host.isEmpty, text.hasSuffix(": \(host)"), host == url { text.removeLast(host.count + 2) }
        // The descriptions of these codes by Ferry's session, libcurl and the system.
        let known: [NetworkError.Code: [String]] = [
            .cancelled: ["cancelled"], .tooManyRedirects: ["too many HTTP redirects"],
            .cannotFindHost: ["Could not resolve host: \(host)"], .timedOut: [meaning],
        ]
        for words in known[code] ?? [] {
            if text == words { return "" }
            // The number of attempts follows.
            if text.hasPrefix(words + " (") { return String(text.dropFirst(words.count + 2).dropLast()) }
        }
        let start = "Failed to connect to "
        if code == .cannotConnectToHost, text.hasPrefix(start) {
            // libcurl repeats that it could not connect; the host may be a proxy's.
            text.removeFirst(start.count)
            if text.hasPrefix(host + " port ") { text.removeFirst(host.count + 1) }
            for words in [": Couldn't connect to server", ": Could not connect to server"] {
                if let range = text.range(of: words) { text.removeSubrange(range) }
            }
            return "no connection to " + text
        }
        return text
    }
}

extension NetworkError.Code {
    /// The meaning of a transport's code, without host or reason.
    package var meaning: String? {
        switch self {
        case .cancelled: "The request was cancelled"
        case .timedOut: "The request timed out"
        case .cannotFindHost: "The host could not be found"
        case .cannotConnectToHost: "Could not connect to the host"
        case .connectionLost: "The connection to the host was lost"
        case .notConnected: "There is no network connection"
        case .resourceUnavailable: "The resource is not available"
        case .secureConnectionFailed: "Could not make a secure connection to the host"
        case .certificateUntrusted: "The certificate of the host is not trusted"
        case .clientCertificateRejected: "The host did not accept the client certificate"
        case .authenticationRequired: "The host requires authentication"
        case .tooManyRedirects: "There were too many redirects"
        case .badURL: "The URL cannot be used"
        case .unsupportedURL: "The URL cannot be loaded"
        case .badServerResponse: "The host sent an invalid response"
        case .cannotDecodeContent: "The content coding of the body cannot be decoded"
        default: nil
        }
    }
}

// CurlSession's errors and responses have no secrets in their texts, but those of a system session may.

extension URLError {
    /// The error without secrets in its URL and description.
    package var presentable: URLError {
        var info = userInfo
        if let url = info[NSURLErrorFailingURLErrorKey] as? URL {
            info[NSURLErrorFailingURLErrorKey] = url.withoutSecrets
        }
        for key in [RequestSerializationError.failingURLStringKey, NSLocalizedDescriptionKey] {
            if let text = info[key] as? String { info[key] = PresentableText.message(text) }
        }
        return URLError(code, userInfo: info)
    }
}
