/// The name of a file of the cache: 16 bytes, as hexadecimal digits, and what the file contains.
package struct CacheName: Hashable, Sendable {
    package enum Kind: CaseIterable, Sendable {
        case response, body

        package var suffix: String { self == .response ? ".ferry-response" : ".ferry-body" }
    }

    private static let digitCount = 32

    package let high: UInt64
    package let low: UInt64
    package let kind: Kind

    package init(high: UInt64, low: UInt64, kind: Kind) { (self.high, self.low, self.kind) = (high, low, kind) }

    /// Makes the name of the file for a key, or for a variant of a key.
    package init(hashing text: String) {
        let words = SHA256Hash.hash(Data(text.utf8))
        let high = words.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.init(high: high, low: words.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, kind: .response)
    }

    /// Makes a name that no other file has.
    package init(randomFor kind: Kind) {
        self.init(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max), kind: kind)
    }

    /// Reads the name of a file; `nil` if this type does not make such a name.
    package init?(_ fileName: String) {
        guard let kind = Kind.allCases.first(where: { fileName.hasSuffix($0.suffix) }),
            fileName.utf8.count == Self.digitCount + kind.suffix.utf8.count,
            let high = UInt64(fileName.prefix(16), radix: 16),
            let low = UInt64(fileName.dropFirst(16).prefix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low, kind: kind)
        // `UInt64` also reads a sign and capital letters.
        guard self.fileName == fileName else { return nil }
    }

    package var fileName: String { high.hexadecimal + low.hexadecimal + kind.suffix }

    /// The path within the cache's folder, where the files are distributed over 256 folders.
    package var path: String { high.hexadecimal.prefix(2) + "/" + fileName }
}
