/// A URL of the file, and the state of the requests to its server.
struct SegmentSource: Sendable {
    let request: URLRequest
    /// Whether the URL is not the download's own.
    let isMirror: Bool
    /// Whether the URL has another origin than the download, so that requests to it have no credentials of the session.
    private(set) var isForeign = false
    /// Whether requests are still sent to the source.
    var isUsable = true
    /// Whether the source has sent exactly the ranges that were requested so far.
    var hasRanges = true
    /// The number of requests in a row that have made no progress.
    var failures = 0
    /// The time before which no request is repeated; failures until then are not counted a second time.
    var retryTime = MonotonicTime(nanoseconds: 0)
    /// The number of workers that fetch from the source.
    var users = 0

    /// The number of failures in a row after which the source is dropped.
    static let maximumFailures = 6

    init(_ request: URLRequest, isMirror: Bool) {
        var request = request
        request.httpMethod = "GET"
        // Ranges and digests are of the bytes that are sent.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        request.cachePolicy = .reloadIgnoringLocalCacheData
        (self.request, self.isMirror) = (request, isMirror)
    }

    /// Makes the sources of a download: its own URL first.
    static func all(of download: VerifiedDownload) -> [SegmentSource] {
        let mirrors = download.mirrors.prefix(16).map { mirror($0, of: download) }
        return [SegmentSource(download.request, isMirror: false)] + mirrors
    }

    /// Makes the source of a mirror, to which another origin's header fields are not sent.
    static func mirror(_ url: URL, of download: VerifiedDownload) -> SegmentSource {
        var request = URLRequest(url: url, timeoutInterval: download.request.timeoutInterval)
        request.httpShouldHandleCookies = download.request.httpShouldHandleCookies
        let isOwn = download.request.url.map(Origin.init) == Origin(url)
        if isOwn { request.allHTTPHeaderFields = download.request.allHTTPHeaderFields }
        var source = SegmentSource(request, isMirror: true)
        source.isForeign = !isOwn
        return source
    }

    func request(for part: Range<Int64>, ifRange validator: String?) -> URLRequest {
        var request = request
        request.setValue("bytes=\(part.lowerBound)-\(part.upperBound - 1)", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        return request
    }
}

/// The properties of the file on the servers.
struct SegmentEntity: Sendable, Equatable {
    /// The strong entity tag or date; `nil` if parts cannot be requested.
    var validator: String?
    var total: Int64?
    /// The digest that the file must have.
    var digest: ContentDigest?
    var announced: ContentDigest?
    var lastModified: Date?
    /// The index of the source whose response this describes; for an earlier record, that of the download's own URL.
    var source = 0

    /// The meaning of a response to a request for a part.
    enum Answer: Equatable {
        /// Exactly the part follows.
        case fits
        /// The server has another file now.
        case changed
        /// The server does not send parts as requested.
        case refuses
        /// The request may be repeated, such as after a 503.
        case fails
        /// The server does not have the file.
        case hasNot
    }

    /// Evaluates a response to a request for a part (RFC 9110, sections 14.4, 15.3.7 and 15.5.17).
    func evaluate(_ response: HTTPURLResponse, part: Range<Int64>, isMirror: Bool) -> Answer {
        let status = response.statusCode
        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
        let tag = field("ETag")
        let isTag = validator?.utf8.first == UInt8(ascii: "\"")
        let isSame =
            isTag
            ? tag.map { $0.utf8.elementsEqual((validator ?? "").utf8) }
            : field("Last-Modified").map { HTTPDate.parse($0) == HTTPDate.parse(validator ?? "") }
        switch status {
        case 206:
            guard let range = field("Content-Range").flatMap(ContentRange.init),
                range.first.int64 == part.lowerBound, range.end.int64 == part.upperBound,
                field("Content-Length").map({ ByteCount(digits: $0) == range.length }) ?? true,
                field("Content-Encoding").map({ $0.isEqualIgnoringCase("identity") }) ?? true
            else { return .refuses }
            guard let complete = range.complete?.int64 else { return .refuses }
            if let total, complete != total { return isMirror ? .refuses : .changed }
            if let digest, let announced = ContentDigest.announced(by: response),
                announced.algorithm == digest.algorithm, announced != digest
            {
                return isMirror ? .refuses : .changed
            }
            // A date is no strong validator of another server's file (RFC 9110, section 8.8.2.2).
            if isMirror { return digest != nil || (isTag && isSame == true) ? .fits : .refuses }
            return isSame ?? true ? .fits : .changed
        case 200..<300: return isSame == true || isMirror ? .refuses : .changed
        case 412, 416: return isMirror ? .refuses : .changed
        default: return response.isPassing ? .fails : .hasNot
        }
    }
}
