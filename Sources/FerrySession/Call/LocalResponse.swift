/// A response that does not come from the network.
struct LocalResponse {
    enum Source {
        case cache
        /// Another call with the same request.
        case otherCall
        case interceptor
    }

    var source: Source
    var head: ResponseHead
    var isDecoded = false
    var body = CacheBody.data(Data())
    /// The part of the body that is delivered, if not all of it is.
    var part: Range<Int>?
    var trailers: [ResponseHead.Field] = []

    /// Makes the local form of an interceptor's response.
    static func intercepted(_ response: InterceptedResponse) -> LocalResponse {
        let head = ResponseHead(version: "HTTP/1.1", status: response.statusCode, fields: response.fields)
        return LocalResponse(source: .interceptor, head: head, body: .data(response.body))
    }

    /// Returns what the metrics say about it: it takes no time.
    func transaction(of request: URLRequest) -> TaskMetrics.Transaction {
        let (url, method) = (request.url?.presentable, request.httpMethod ?? "GET")
        var result = TaskMetrics.Transaction(url: url, method: method, statusCode: head.status, startDate: .current)
        (result.isFromCache, result.isShared) = (source == .cache, source == .otherCall)
        return result
    }
}

/// The cache's answer to a request.
enum CacheAnswer {
    /// The server is asked.
    case network
    case response(LocalResponse)
    case failure(URLError)
}

/// The meaning of a response's head for a stored response.
enum CacheVerdict {
    /// The stored response is valid.
    case validated
    /// A 304 is about another response than the stored one.
    case withoutConditions
    /// The stored response replaces the server's error.
    case servesStale
    /// The response completes the stored beginning of a body.
    case completes(head: ResponseHead, beginning: Data, end: ByteCount)
}
