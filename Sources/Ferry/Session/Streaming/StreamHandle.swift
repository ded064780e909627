import FerrySession

/// A reader's hold on a transfer; letting go of it cancels the transfer.
final class StreamHandle: Sendable {
    private let buffer: StreamBuffer
    private let relay: CancellationRelay

    /// Makes a handle.
    init(buffer: StreamBuffer, relay: CancellationRelay) {
        self.buffer = buffer
        self.relay = relay
    }

    /// Waits for the next piece.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { buffer.read(with: $0) }
        } onCancel: {
            relay.cancel()
        }
    }

    deinit {
        relay.cancel()
    }
}
