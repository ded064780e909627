import FerrySession

/// One part of a body: its header lines, and where its bytes come from.
struct MultipartPart: Sendable {
    /// The header lines with the empty line after them.
    let header: Data
    let body: MultipartBody
    /// The number of bytes in the body.
    let length: Int64

    init(headers: HTTPHeaders, body: MultipartBody, length: Int64) throws {
        try headers.validate()
        var text = ""
        for field in headers {
            text += "\(field.name): \(field.value)\r\n"
        }
        header = Data((text + "\r\n").utf8)
        self.body = body
        self.length = length
    }
}
