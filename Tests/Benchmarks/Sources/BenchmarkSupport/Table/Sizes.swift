/// The sizes of files and the numbers of requests.
public struct Sizes: Sendable {
    /// The size of the small JSON file, in bytes.
    public let small = 1024

    /// The size of the large JSON file, in bytes.
    public let large = 10_485_760

    /// The size of a body that is collected in memory, in bytes.
    public let body: Int

    /// The size of the sparse file, in bytes.
    public let huge: Int

    /// The size of the largest sparse file, in bytes.
    public let giant: Int

    private let divisor: Int

    /// Creates the sizes of a full run, or of a quick one, which only shows that everything works.
    public init(isQuick: Bool) {
        divisor = isQuick ? 10 : 1
        body = isQuick ? 33_554_432 : 268_435_456
        huge = isQuick ? 134_217_728 : 1_073_741_824
        giant = huge * 10
    }

    /// Returns a number of requests, smaller in a quick run.
    func count(_ full: Int) -> Int { max(1, full / divisor) }

    /// The sizes of the files by name: files named `.json` contain records, the others are sparse.
    public var files: [String: Int] {
        ["small.json": small, "large.json": large, "body.bin": body, "huge.bin": huge, "giant.bin": giant]
    }
}
