/// Why something could not be measured, in a sentence.
public struct BenchmarkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// Makes an error.
    public init(_ description: String) {
        self.description = description
    }

    /// Compares what a response was with what it must be; nil when it is right.
    public static func response(status: Int?, bytes: Int, expected: Int) -> BenchmarkError? {
        guard let status else { return BenchmarkError("There was no HTTP response") }
        guard status == 200 else { return BenchmarkError("The server answered \(status)") }
        guard bytes == expected else { return BenchmarkError("The body has \(bytes) bytes instead of \(expected)") }
        return nil
    }
}
