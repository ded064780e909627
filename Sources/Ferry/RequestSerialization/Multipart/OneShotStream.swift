import Foundation

/// A stream that can be read only once, kept until a reader takes it.
///
/// `@unchecked Sendable`: `InputStream` is not `Sendable`, but this one was transferred by its owner (`sending`), the
/// lock gives it to one reader only, and it is not used in between.
final class OneShotStream: @unchecked Sendable {
    private let isTaken = Locked(false)
    private let stream: InputStream

    init(_ stream: sending InputStream) {
        self.stream = stream
    }

    /// Returns the stream on the first call, and `nil` on later calls.
    func take() -> InputStream? {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        return wasTaken ? nil : stream
    }
}
