import Foundation

/// A collector that keeps the beginning of a body, and counts and hashes all of it.
struct BodyCollector {
    static let emptyDigest = SHA256().hexDigest

    private let limit: Int
    private var hash: SHA256?
    private(set) var kept = Data()
    private(set) var length = 0

    init(limit: Int, hashes: Bool) {
        self.limit = limit
        hash = hashes ? SHA256() : nil
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        length += bytes.count
        hash?.update(bytes)
        if kept.count < limit { kept.append(contentsOf: bytes.prefix(limit - kept.count)) }
    }

    var digest: String {
        guard let hash else { return "" }
        return length == 0 ? Self.emptyDigest : hash.hexDigest
    }
}
