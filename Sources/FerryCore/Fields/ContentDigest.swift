/// The SHA-256 or SHA-512 digest of a whole body or file.
public struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// A hash function, with its name in the registry of RFC 9530.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable, Codable {
        /// SHA-256, 32 bytes.
        case sha256 = "sha-256"
        /// SHA-512, 64 bytes.
        case sha512 = "sha-512"

        /// The number of bytes of a digest.
        package var size: Int { self == .sha256 ? 32 : 64 }
    }

    /// The hash function.
    public let algorithm: Algorithm
    /// The bytes of the digest.
    public let bytes: [UInt8]

    package init?(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        guard bytes.count == algorithm.size else { return nil }
        (self.algorithm, self.bytes) = (algorithm, bytes)
    }

    /// Makes the digest of bytes; a file may be mapped, `Data(contentsOf: file, options: .alwaysMapped)`.
    public init(_ algorithm: Algorithm, of data: Data) {
        var hash = DigestHash(algorithm)
        data.withUnsafeBytes { hash.update($0) }
        (self.algorithm, bytes) = (algorithm, hash.bytes)
    }

    /// The error of a text that is not the hexadecimal digits of a digest.
    public struct FormatError: LocalizedError, Hashable, Sendable {
        /// The hash function of the expected digest.
        public let algorithm: Algorithm
        /// The text.
        public let text: String

        /// A sentence with the beginning of the text and the number of digits that are expected.
        public var errorDescription: String? {
            let shown = PresentableText.message(String(decoding: text.utf8.prefix(80), as: UTF8.self))
            return "“\(shown)” is not the \(algorithm.size * 2) hexadecimal digits of a \(algorithm.rawValue) digest"
        }
    }

    /// Makes a digest from hexadecimal digits in either case, with or without white space around them.
    ///
    /// - Throws: A ``FormatError`` if their number or one of them is wrong. It is an error, since `nil` as the digest
    ///   of a download means that nothing is checked.
    public init(_ algorithm: Algorithm, hexadecimal text: String) throws(FormatError) {
        let digits = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index -> UInt8? in
            guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
            return high << 4 | low
        }
        guard digits.count == algorithm.size * 2, let digest = ContentDigest(algorithm, bytes) else {
            throw FormatError(algorithm: algorithm, text: text)
        }
        self = digest
    }

    /// Makes a digest from text such as `sha-256=HEX`; `nil` if it is malformed or the algorithm is another one.
    package init?(_ text: String) {
        guard text.utf8.count <= 256, let parts = text[...].utf8.cut(at: "="),
            let algorithm = Algorithm(rawValue: parts.before.string.lowercased())
        else { return nil }
        do throws(FormatError) {
            try self.init(algorithm, hexadecimal: parts.after.string)
        } catch {
            return nil
        }
    }

    /// The name of the hash function and the digest, such as `sha-256=HEX`.
    public var description: String { "\(algorithm.rawValue)=\(hexadecimal)" }
    /// The digest in lowercase hexadecimal digits.
    public var hexadecimal: String { bytes.hexadecimal }

    /// The value of a `Repr-Digest` or `Content-Digest` field (RFC 9530, sections 2 and 3).
    package var fieldValue: String { "\(algorithm.rawValue)=:\(Data(bytes).base64EncodedString()):" }

    /// Returns the strongest digest of a `Repr-Digest` or `Content-Digest` field (RFC 9530, sections 2 and 3), or of a
    /// `Digest` field.
    ///
    /// The first two are dictionaries of byte sequences (RFC 9651, section 3.2); `Digest` is a list (RFC 3230, section
    /// 4.3.2). Other algorithms are left out; a field with a malformed digest of these two is ignored as a whole.
    package static func strongest(inField field: String, isList: Bool = false) -> ContentDigest? {
        guard field.utf8.count <= 4_096 else { return nil }
        var found: [Algorithm: ContentDigest] = [:]
        for member in field[...].utf8.parts(between: ",") {
            guard let parts = member.trimmed.cut(at: "=") else { continue }
            let name = parts.before.string
            guard let algorithm = Algorithm(rawValue: isList ? name.lowercased() : name) else { continue }
            var value = parts.after
            if !isList {
                value = (value.cut(at: ";")?.before ?? value).trimmed
                let colon = UInt8(ascii: ":")
                guard value.count >= 2, value.first == colon, value.last == colon else { return nil }
                value = value.dropFirst().dropLast()
            }
            // The padding may be missing (RFC 9651, section 4.2.7).
            let padding = String(repeating: "=", count: (4 - value.count % 4) % 4)
            guard let data = Data(base64Encoded: value.string + padding),
                let digest = ContentDigest(algorithm, Array(data))
            else { return nil }
            found[algorithm] = digest
        }
        return found[.sha512] ?? found[.sha256]
    }

    /// Returns the digest of the whole file that a response announces, or `nil` if there is none.
    ///
    /// `Repr-Digest`, and `Digest` of older servers, are of the whole also in a 206 (RFC 3230, section 4.2);
    /// `Content-Digest` only in a 200 (RFC 9530, appendix A).
    package static func announced(by response: HTTPURLResponse) -> ContentDigest? {
        // Digests are of the coded bytes, which are not those of the file.
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")
        guard coding == nil || coding?.isEqualIgnoringCase("identity") == true else { return nil }
        func digest(_ name: String, isList: Bool = false) -> ContentDigest? {
            response.value(forHTTPHeaderField: name).flatMap { strongest(inField: $0, isList: isList) }
        }
        let ofContent = response.statusCode == 200 ? digest("Content-Digest") : nil
        return digest("Repr-Digest") ?? ofContent ?? digest("Digest", isList: true)
    }
}

/// A running hash of either algorithm.
package enum DigestHash: Sendable {
    case sha256(SHA256Hash)
    case sha512(SHA512Hash)

    /// Makes a hash of no bytes.
    package init(_ algorithm: ContentDigest.Algorithm) {
        self = algorithm == .sha256 ? .sha256(.init()) : .sha512(.init())
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .sha256(var hash):
            hash.update(bytes)
            self = .sha256(hash)
        case .sha512(var hash):
            hash.update(bytes)
            self = .sha512(hash)
        }
    }

    /// The digest of all bytes that have been added.
    package var bytes: [UInt8] {
        switch self {
        case .sha256(let hash): hash.digest
        case .sha512(let hash): hash.digest
        }
    }
}
