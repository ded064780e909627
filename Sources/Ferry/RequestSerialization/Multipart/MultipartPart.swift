import Foundation

/// A part of a form: its header lines and the source of its bytes.
struct MultipartPart: Sendable {
    /// The header lines, including the empty line at their end.
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
