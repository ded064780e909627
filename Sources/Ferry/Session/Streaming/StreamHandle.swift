import Foundation

/// A reader's handle on a transfer, which is cancelled when the handle is released.
final class StreamHandle: Sendable {
    private let buffer: StreamBuffer
    private let relay: CancellationRelay

    /// Creates a handle.
    init(buffer: StreamBuffer, relay: CancellationRelay) {
        self.buffer = buffer
        self.relay = relay
    }

    /// Returns the next piece, and waits for it if necessary; nil at the end.
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
