/// An `HTTPURLResponse` that keeps what the class promises where FoundationNetworking's does not: a length that is
/// unknown when the body is decoded, and a safe file name.
final class CurlHTTPResponse: HTTPURLResponse, @unchecked Sendable {
    // `@unchecked Sendable` like its superclass: nothing changes after the initializer.
    private let length: Int64?
    private let name: String?

    init?(url: URL, head: ResponseHead, isDecoded: Bool) {
        let fields = head.joinedFields
        length = isDecoded ? nil : head.value("Content-Length").flatMap { Int64($0) }
        name =
            head.value("Content-Disposition").flatMap { ContentDisposition($0)?.safeFileName() }
            ?? FileName.component(url.lastPathComponent)
        super.init(url: url, statusCode: head.status, httpVersion: head.version, headerFields: fields)
    }

    required init?(coder: NSCoder) {
        length = nil
        name = nil
        super.init(coder: coder)
    }

    /// An archive names the public class, so that anybody can read it.
    override var classForCoder: AnyClass { HTTPURLResponse.self }

    override var expectedContentLength: Int64 { length ?? NSURLSessionTransferSizeUnknown }

    override var suggestedFilename: String? { name ?? "Unknown" }

    override var mimeType: String? { super.mimeType?.trimmingCharacters(in: .whitespaces) }
}
