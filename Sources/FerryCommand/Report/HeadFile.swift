import Ferry

/// The file of `--dump-header`, with the heads of redirects and responses in the order in which they were received.
final class HeadFile: Sendable {
    private let output: OutputDescriptor
    /// The reason why a head could not be written; all later ones are missing too.
    private let state = Mutex<CommandFailure?>(nil)

    /// Creates or empties the file at `path`; `-` is standard output.
    init(path: String) throws(CommandFailure) {
        output = path == "-" ? .standardOutput : try OutputDescriptor(path: path, flags: O_CREAT | O_TRUNC)
    }

    var failure: CommandFailure? { state.withLock { $0 } }

    func write(_ response: HTTPURLResponse) {
        // Under the lock, so that heads of parallel transfers are not mixed.
        state.withLock { failure in
            guard failure == nil else { return }
            do throws(CommandFailure) {
                try output.writeAll(HeadText.data(of: response))
            } catch {
                failure = error
            }
        }
    }
}
