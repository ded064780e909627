/// An `HTTPURLResponse` that keeps what the class promises where FoundationNetworking's does not: a length that is
/// unknown when the body is decoded, and a safe file name.
final class CurlHTTPResponse: HTTPURLResponse, @unchecked Sendable {
    // `@unchecked Sendable` like its superclass: nothing changes after the initializer.
    private let length: ByteCount?
    private let disposition: String?

    /// Makes the response; its URL has no user information, as it goes into errors and notifications.
    init?(url: URL, head: ResponseHead, isDecoded: Bool) {
        let fields = head.joinedFields
        length = Self.length(head, isDecoded: isDecoded)
        disposition = head.value("Content-Disposition")
        super.init(url: url.presentable, statusCode: head.status, httpVersion: head.version, headerFields: fields)
    }

    /// The length of the body as it is delivered, where the head tells it.
    static func length(_ head: ResponseHead, isDecoded: Bool) -> ByteCount? {
        guard !isDecoded, let value = head.value("Content-Length") else { return nil }
        if let length = ByteCount(digits: value) { return length }
        // The same length several times, which is one (RFC 9112, section 6.3).
        return value.split(separator: ",").first.flatMap { ByteCount(digits: $0.trimmingCharacters(in: .whitespaces)) }
    }

    required init?(coder: NSCoder) {
        length = nil
        disposition = nil
        super.init(coder: coder)
    }

    /// An archive names the public class, so that anybody can read it.
    override var classForCoder: AnyClass { HTTPURLResponse.self }

    override var expectedContentLength: Int64 { length.transferSize }

    // Few responses are asked for their name, so that it is made when it is wanted.
    override var suggestedFilename: String? {
        disposition.flatMap { ContentDisposition($0)?.safeFileName() }
            ?? url.flatMap { FileName.component($0.lastPathComponent) } ?? "Unknown"
    }

    override var textEncodingName: String? {
        // Foundation's own does not find parameters with other letter case or with blanks before the semicolon.
        guard let name = value(forHTTPHeaderField: "Content-Type").flatMap(ContentTypeField.charset) else { return nil }
        return name.isEmpty ? nil : name.lowercased()
    }

    override var mimeType: String? {
        guard let type = super.mimeType, let first = type.utf8.first, let last = type.utf8.last else {
            return super.mimeType
        }
        let blanks: [UInt8] = [0x20, 0x09]
        guard blanks.contains(first) || blanks.contains(last) else { return type }
        return type.trimmingCharacters(in: .whitespaces)
    }
}
