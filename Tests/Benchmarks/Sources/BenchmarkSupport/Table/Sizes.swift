/// The sizes of the files and the numbers of requests.
public struct Sizes: Sendable {
    /// The small JSON file, in bytes.
    public let small = 1024

    /// The large JSON file, in bytes.
    public let large = 10_485_760

    /// A body that is collected in memory, in bytes.
    public let body: Int

    /// The sparse file, in bytes.
    public let huge: Int

    private let divisor: Int

    /// The sizes of a full run, or those of a quick one, which shows that everything works.
    public init(isQuick: Bool) {
        divisor = isQuick ? 10 : 1
        body = isQuick ? 33_554_432 : 268_435_456
        huge = isQuick ? 134_217_728 : 1_073_741_824
    }

    /// Fewer requests in a quick run.
    func count(_ full: Int) -> Int { max(1, full / divisor) }

    /// The files by name, with their sizes; `.json` has records in it, the others are sparse.
    public var files: [String: Int] {
        ["small.json": small, "large.json": large, "body.bin": body, "huge.bin": huge]
    }
}
