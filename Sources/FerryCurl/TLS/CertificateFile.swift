/// Functions that read certificates from files in DER or PEM form.
package enum CertificateFile {
    /// Returns all certificates of a file: one in DER, or one or more as PEM text (RFC 7468).
    package static func certificates(in url: URL) throws(CurlSessionError) -> [Data] {
        let what = "The file of certificates \(url.lastPathComponent)"
        let data = try PEM.contents(of: url, what: what)
        return X509Certificate.isReadable(data) ? [data] : try certificates(inPEM: data, what: what)
    }

    /// Returns all certificates of PEM text; skips other blocks, such as keys.
    package static func certificates(inPEM data: Data, what: String) throws(CurlSessionError) -> [Data] {
        let certificates = try PEM.blocks(in: data, what: what).filter(\.isCertificate).map(\.content)
        guard !certificates.isEmpty else { throw .invalidTLS("\(what) has no certificate") }
        guard certificates.allSatisfy(X509Certificate.isReadable) else {
            throw .invalidTLS("\(what) has a damaged certificate")
        }
        return certificates
    }

    /// Returns all certificates of the files in a folder, without its subfolders.
    package static func certificates(inFolder folder: URL) throws(CurlSessionError) -> [Data] {
        guard let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else { throw .invalidTLS("The folder of certificates cannot be read: \(folder.path)") }
        var found: [Data] = []
        let extensions = ["cer", "crt", "pem", "der"]
        for file in files.sorted(by: { $0.path < $1.path })
        where extensions.contains(file.pathExtension.lowercased()) {
            found += try certificates(in: file)
        }
        return found
    }
}

/// Functions for the PEM text (RFC 7468) of certificates and keys.
package enum PEM {
    package struct Block: Hashable, Sendable {
        package var label: String
        package var content: Data
        package var isEncrypted: Bool

        var isCertificate: Bool { ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains(label) }
    }

    /// Returns all blocks of a text, in order; ignores the text between them.
    package static func blocks(
        in data: Data,
        what: String,
        code: CurlSessionError.Code = .invalidTLSOptions
    ) throws(CurlSessionError) -> [Block] {
        func damaged(_ label: [UInt8], _ problem: String) -> CurlSessionError {
            CurlSessionError(code, "\(what): the block \(String(decoding: label, as: UTF8.self).prefix(64)) \(problem)")
        }
        var blocks: [Block] = []
        var label: [UInt8]?
        var isEncrypted = false
        var body: [UInt8] = []
        // Byte by byte: comparing lines as strings would take quadratic time with hostile text.
        for line in [UInt8](data).split(whereSeparator: { (0x0A...0x0D).contains($0) }) {
            let line = line[..<(line.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? line.startIndex)]
            if let current = label {
                if isMark(line, "-----END ", current) {
                    let name = String(decoding: current, as: UTF8.self)
                    guard let content = Data(base64Encoded: Data(body)), !content.isEmpty else {
                        throw damaged(current, "is empty or not Base64")
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
        if let label { throw damaged(label, "has no end") }
        return blocks
    }

    private static let dashes = Array("-----".utf8)

    private static func isMark(_ line: ArraySlice<UInt8>, _ start: String, _ label: [UInt8]) -> Bool {
        line.count == start.utf8.count + label.count + dashes.count && line.starts(with: start.utf8)
            && line.dropFirst(start.utf8.count).starts(with: label) && line.suffix(dashes.count).elementsEqual(dashes)
    }

    package static func text(certificate: Data) -> String {
        let body = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
    }

    /// Returns the content of a regular file, which may have at most 64 MiB.
    package static func contents(
        of url: URL,
        what: String,
        code: CurlSessionError.Code = .invalidTLSOptions
    ) throws(CurlSessionError) -> Data {
        guard url.isFileURL else { throw CurlSessionError(code, "\(what) is not a file URL: \(url.presentableText)") }
        do throws(FileError) {
            return try RegularFile.contents(of: url.path, links: .follow, limit: 67_108_864)
        } catch {
            throw CurlSessionError(code, "\(what) cannot be read: \(url.path): \(error.reasonText)")
        }
    }
}
