import Ferry

/// An output that can only be written sequentially: a pipe, a terminal or a device.
final class StreamOutput: Sendable {
    static let standard = StreamOutput(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// The queue that writes; a slow reader blocks nothing else.
    private let queue = DispatchQueue(label: "ferry.output")

    private init(descriptor: Int32, name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isOwned = isOwned
    }

    /// Opens an existing file.
    convenience init(path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .file(path, "cannot be opened", errno: errno) }
        self.init(descriptor: descriptor, name: path, isOwned: true)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes all of the data and returns when it has been written.
    func write(_ data: Data) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { [descriptor, name] in
                continuation.resume(
                    with: Result { try FileDescriptor.writeAll(data, to: descriptor, path: name) }
                )
            }
        }
    }
}
