/// The record of a partial file: its entity, and the parts that have arrived.
///
/// It is replaced by renaming after its bytes were written, so that it never names bytes that the file does not have,
/// even if the process is killed. It has no secrets, and only a hash of the URL.
struct SegmentState: Codable, Equatable, Sendable {
    var version = 1
    /// The SHA-256 of the URL, in hexadecimal.
    var source: String
    /// The strong entity tag or date for `If-Range`.
    var validator: String
    var total: Int64
    /// The digest that the server has announced, such as `sha-256=HEX`.
    var digest: String?
    /// For each part, the offset of its first byte and the offset after its last one.
    var parts: [Int64]
    /// The boot of the system in which the bytes were written; nil if they are certainly on the disk.
    var boot: UInt64?

    private static let maximumBytes = 1_048_576

    init(source: URL, validator: String, digest: ContentDigest?, plan: SegmentPlan, isSynchronized: Bool = true) {
        self.source = Self.hash(of: source)
        self.validator = validator
        total = plan.total
        boot = isSynchronized ? nil : SystemBoot.number
        self.digest = digest?.description
        parts = plan.done.flatMap { [$0.lowerBound, $0.upperBound] }
    }

    static func hash(of url: URL) -> String { SHA256Hash.hash(Data(url.absoluteString.utf8)).hexadecimal }

    /// The parts in order; `nil` if a field is not valid.
    var ranges: [Range<Int64>]? {
        guard version == 1, (1..<Int64.max).contains(total), parts.count % 2 == 0,
            ContinuationRule.isValidator(validator)
        else { return nil }
        var ranges: [Range<Int64>] = []
        var position: Int64 = -1
        for index in stride(from: 0, to: parts.count, by: 2) {
            let (start, end) = (parts[index], parts[index + 1])
            guard start > position, end > start, end <= total else { return nil }
            ranges.append(start..<end)
            position = end
        }
        return ranges
    }

    /// The record with a checksum in front, since a damaged one could name parts that have not arrived.
    func encoded() -> Data? {
        guard let json = try? JSONEncoder().encode(self), json.count < Self.maximumBytes / 2 else { return nil }
        return Self.seal(json)
    }

    private static func seal(_ json: Data) -> Data {
        Data("ferry-segments \(ByteHash.of(json).hexadecimal)\n".utf8) + json
    }

    init?(_ data: Data) {
        guard data.count <= Self.maximumBytes, let line = data.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let json = Data(data[(line + 1)...])
        guard Self.seal(json) == data, let state = try? JSONDecoder().decode(SegmentState.self, from: json),
            state.ranges != nil
        else { return nil }
        self = state
    }

    /// Reads the record at a path; `nil` if there is none or it is not valid.
    static func read(_ path: String) -> SegmentState? {
        guard let file = try? RegularFile(reading: path, links: .refuse), (try? file.requireOwnership()) != nil,
            let data = try? file.read(upToCount: maximumBytes + 1)
        else { return nil }
        return SegmentState(data)
    }

    func write(to path: String, synchronized: Bool) throws(FileError) {
        guard let data = encoded() else { throw FileError("encode", path: path, code: EFBIG) }
        try RegularFile.replace(path, with: data, synchronized: synchronized)
    }
}
