import Ferry

/// An output that can only be written sequentially: a pipe, a terminal or a device.
final class StreamOutput: Sendable {
    static let standard = StreamOutput(OutputDescriptor(STDOUT_FILENO, name: "standard output"))

    private let output: OutputDescriptor
    /// The queue that writes; a slow reader blocks nothing else.
    private let queue = DispatchQueue(label: "ferry.output")

    private init(_ output: OutputDescriptor) { self.output = output }

    /// Opens an existing file.
    convenience init(path: String) throws(CommandFailure) {
        self.init(try OutputDescriptor(path: path, flags: O_NOCTTY))
    }

    /// Writes all of the data and returns when it has been written; throws a `CommandFailure`, or the error of
    /// `--deadline` if the reader has not taken the data by then.
    func write(_ data: Data, until deadline: ContinuousClock.Instant? = nil) async throws {
        try await queue.run { [output] in try Self.write(data, to: output, until: deadline) }
    }

    private static func write(
        _ data: Data,
        to output: OutputDescriptor,
        until deadline: ContinuousClock.Instant?
    ) throws {
        guard let deadline else { return try output.writeAll(data) }
        guard try output.writeAll(data, until: deadline) else {
            let cause = CurlSessionError(.deadlineExceeded, "the output was not read before the deadline")
            throw URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: cause])
        }
    }
}
