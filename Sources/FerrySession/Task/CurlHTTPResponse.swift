/// An `HTTPURLResponse` that behaves as documented where FoundationNetworking's does not: it has an unknown length if
/// the body is decoded, and a safe file name.
final class CurlHTTPResponse: HTTPURLResponse, @unchecked Sendable {
    // `@unchecked Sendable` like its superclass: nothing changes after the initializer.
    private let length: ByteCount?
    private let disposition: String?

    /// Makes the response, whose URL has no user information because it is used in errors and notifications.
    init?(url: URL, head: ResponseHead, isDecoded: Bool) {
        let fields = head.joinedFields
        length = Self.length(head, isDecoded: isDecoded)
        disposition = head.value("Content-Disposition")
        super.init(url: url.presentable, statusCode: head.status, httpVersion: head.version, headerFields: fields)
    }

    /// Returns the length of the body as it is delivered, or `nil` if the head does not tell it.
    static func length(_ head: ResponseHead, isDecoded: Bool) -> ByteCount? {
        guard !isDecoded, let value = head.value("Content-Length") else { return nil }
        if let length = ByteCount(digits: value) { return length }
        // A list of equal values counts as one value (RFC 9112, section 6.3).
        return value.split(separator: ",").first.flatMap { ByteCount(digits: $0.trimmingCharacters(in: .whitespaces)) }
    }

    required init?(coder: NSCoder) {
        length = nil
        disposition = nil
        super.init(coder: coder)
    }

    /// Archives name the public class, so that they can be read without Ferry.
    override var classForCoder: AnyClass { HTTPURLResponse.self }

    override var expectedContentLength: Int64 { length.transferSize }

    // Computed lazily, because few callers ask for the file name.
    override var suggestedFilename: String? {
        disposition.flatMap { ContentDisposition($0)?.safeFileName() }
            ?? url.flatMap { FileName.component($0.lastPathComponent) } ?? "Unknown"
    }

    override var textEncodingName: String? {
        // Foundation's implementation does not find parameters in another letter case or with blanks before the
        // semicolon.
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
