import Ferry

/// A pipe, a terminal or a device: bytes go out as they come, and nothing else can be done about them.
final class StreamOutput: Sendable {
    static let standard = StreamOutput(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// A reader may take its time, so the writing waits on a thread of its own.
    private let queue = DispatchQueue(label: "ferry.output")

    private init(descriptor: Int32, name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isOwned = isOwned
    }

    /// Opens a file that is there already.
    convenience init(path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .file(path, "cannot be opened", errno: errno) }
        self.init(descriptor: descriptor, name: path, isOwned: true)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes all of the data; the next piece is taken when this one is gone.
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
