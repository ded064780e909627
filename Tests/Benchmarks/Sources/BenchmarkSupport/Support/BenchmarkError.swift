/// The reason why something could not be measured.
public struct BenchmarkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason as a sentence.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }

    /// Compares a response with the expected one; returns nil if it is right.
    public static func response(status: Int?, bytes: Int, expected: Int) -> BenchmarkError? {
        guard let status else { return BenchmarkError("There was no HTTP response") }
        guard status == 200 else { return BenchmarkError("The server responded with status \(status)") }
        guard bytes == expected else { return BenchmarkError("The body has \(bytes) bytes instead of \(expected)") }
        return nil
    }
}
