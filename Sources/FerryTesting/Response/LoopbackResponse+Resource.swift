import Foundation

extension LoopbackResponse {
    /// Returns the response to a request for a resource that has validators and supports ranges (RFC 9110 sections 13
    /// and 14).
    ///
    /// It evaluates `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since`, then `Range` with
    /// `If-Range`. The status is 200, 206, 304, 412 or 416. For a list of several ranges, the response is the whole
    /// resource.
    ///
    /// - Parameters:
    ///   - body: The whole resource; ranges are supported for data, pattern and file bodies.
    ///   - etag: The entity tag, which is quoted if necessary; nil for no `ETag`.
    ///   - lastModified: The date for `Last-Modified`; nil for none.
    ///   - contentType: The media type.
    ///   - request: The client's request.
    /// - Returns: The response, which can be modified further.
    public static func resource(
        _ body: Body,
        etag: String? = nil,
        lastModified: Date? = nil,
        contentType: String = "application/octet-stream",
        for request: LoopbackRequest
    ) -> LoopbackResponse {
        let validators = Validators(etag: etag, lastModified: lastModified)
        var response = LoopbackResponse(headers: validators.fields, body: body)
        if let status = validators.failedPrecondition(of: request) {
            response.status = status
            response.body = .data(Data())
            return response
        }
        response.headers.add("Content-Type", contentType)
        guard let total = body.count, body.slice(0..<0) != nil else { return response }
        response.headers.add("Accept-Ranges", "bytes")
        guard request.method == "GET", let field = request.header("Range"), validators.allowRange(of: request) else {
            return response
        }
        switch ByteRange(field)?.resolved(total: total) {
        case nil:
            return response
        case .unsatisfiable:
            response.status = 416
            response.headers.add("Content-Range", "bytes */\(total)")
            response.body = .data(Data())
        case .range(let range):
            guard let part = body.slice(range) else { return response }
            response.status = 206
            response.headers.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")
            response.body = part
        }
        return response
    }
}
