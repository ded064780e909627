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

    /// Writes all of the data and returns when it has been written.
    func write(_ data: Data) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { [output] in continuation.resume(with: Result { try output.writeAll(data) }) }
        }
    }
}
