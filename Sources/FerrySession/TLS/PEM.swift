/// Functions for the PEM text (RFC 7468) of certificates and keys.
enum PEM {
    struct Block: Hashable, Sendable {
        var label: String
        var content: Data
        var isEncrypted: Bool
    }

    static let certificateLabels: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    private static let largest = 67_108_864

    /// Returns all blocks of a text, in order; ignores the text between them.
    static func blocks(in data: Data, what: String) throws(CurlSessionError) -> [Block] {
        var blocks: [Block] = []
        var label: [UInt8]?
        var isEncrypted = false
        var body: [UInt8] = []
        // Byte by byte: comparing lines as strings would take quadratic time with hostile text.
        for line in [UInt8](data).split(whereSeparator: isLineEnd) {
            let line = withoutBlanks(line)
            if let current = label {
                if isMark(line, "-----END ", current) {
                    let name = String(decoding: current, as: UTF8.self)
                    guard let content = Data(base64Encoded: Data(body)), !content.isEmpty else {
                        throw damaged(what, name)
                    }
                    let encrypted = isEncrypted || name == "ENCRYPTED PRIVATE KEY"
                    blocks.append(Block(label: name, content: content, isEncrypted: encrypted))
                    label = nil
                } else if line.contains(UInt8(ascii: ":")) {
                    // The header fields of RFC 1421, which old encrypted keys have.
                    let isType = line.starts(with: "Proc-Type:".utf8) && line.suffix(9).elementsEqual("ENCRYPTED".utf8)
                    if isType || line.starts(with: "DEK-Info:".utf8) { isEncrypted = true }
                } else {
                    body += line
                }
            } else if line.starts(with: "-----BEGIN ".utf8), line.suffix(5).elementsEqual(dashes), line.count >= 16 {
                label = Array(line.dropFirst(11).dropLast(5))
                (isEncrypted, body) = (false, [])
            }
        }
        if let label { throw damaged(what, String(decoding: label, as: UTF8.self)) }
        return blocks
    }

    private static let dashes = Array("-----".utf8)

    private static func isLineEnd(_ byte: UInt8) -> Bool { (0x0A...0x0D).contains(byte) }

    private static func withoutBlanks(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last == 0x20 || last == 0x09 { line = line.dropLast() }
        return line
    }

    private static func isMark(_ line: ArraySlice<UInt8>, _ start: String, _ label: [UInt8]) -> Bool {
        line.count == start.utf8.count + label.count + dashes.count && line.starts(with: start.utf8)
            && line.dropFirst(start.utf8.count).starts(with: label) && line.suffix(dashes.count).elementsEqual(dashes)
    }

    private static func damaged(_ what: String, _ label: String) -> CurlSessionError {
        CurlSessionError(.invalidTLSOptions, "\(what) has a damaged block: \(label.prefix(64))")
    }

    /// Returns a certificate as PEM text.
    static func text(certificate: Data) -> String {
        let body = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
    }

    /// Returns the content of a regular file, which may have at most 64 MiB.
    static func contents(of url: URL, what: String) throws(CurlSessionError) -> Data {
        guard url.isFileURL else {
            throw CurlSessionError(.invalidTLSOptions, "\(what) is not a file URL: \(url.presentableText)")
        }
        do throws(FileError) {
            return try RegularFile.contents(of: url.path, links: .follow, limit: largest)
        } catch {
            throw CurlSessionError(.invalidTLSOptions, "\(what) cannot be read: \(url.path): \(error.reasonText)")
        }
    }
}
