/// PEM text (RFC 7468), as far as certificates and keys need it.
enum PEM {
    struct Block: Hashable, Sendable {
        var label: String
        var content: Data
        var isEncrypted: Bool
    }

    static let certificateLabels: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    private static let largest = 67_108_864

    /// All blocks of a text, in order; what stands between them is commentary.
    static func blocks(in data: Data, what: String) throws(CurlSessionError) -> [Block] {
        let text = String(decoding: data, as: UTF8.self)
        var blocks: [Block] = []
        var label: Substring?
        var isEncrypted = false
        var body = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingSuffix(while: \.isWhitespace)
            if let current = label {
                if line == "-----END \(current)-----" {
                    guard let content = Data(base64Encoded: body), !content.isEmpty else {
                        throw damaged(what, current)
                    }
                    let encrypted = isEncrypted || current == "ENCRYPTED PRIVATE KEY"
                    blocks.append(Block(label: String(current), content: content, isEncrypted: encrypted))
                    label = nil
                } else if line.contains(":") {
                    // The headers of RFC 1421, which old encrypted keys have.
                    if line.hasPrefix("Proc-Type:"), line.contains("ENCRYPTED") { isEncrypted = true }
                    if line.hasPrefix("DEK-Info:") { isEncrypted = true }
                } else {
                    body += line
                }
            } else if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                label = line.dropFirst(11).dropLast(5)
                (isEncrypted, body) = (false, "")
            }
        }
        if let label { throw damaged(what, label) }
        return blocks
    }

    private static func damaged(_ what: String, _ label: Substring) -> CurlSessionError {
        CurlSessionError(.invalidTLSOptions, "\(what) is damaged in its \(label)")
    }

    /// A certificate as PEM text.
    static func text(certificate: Data) -> String {
        let body = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
    }

    /// Reads a file that should be small.
    static func contents(of url: URL, what: String) throws(CurlSessionError) -> Data {
        guard url.isFileURL else {
            throw CurlSessionError(.invalidTLSOptions, "\(what) is no file: \(url.absoluteString)")
        }
        do throws(FileError) {
            return try RegularFile.contents(of: url.path, links: .follow, limit: largest)
        } catch {
            throw CurlSessionError(.invalidTLSOptions, "\(what) cannot be read: \(url.path): \(error.reasonText)")
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
