import FerrySession

/// A stream that can be read once, kept until someone takes it.
///
/// `@unchecked Sendable`: `InputStream` is not `Sendable`, but this one was given up by its owner, the lock hands it to
/// one taker only, and nobody touches it in between.
final class OneShotStream: @unchecked Sendable {
    private let isTaken = Locked(false)
    private let stream: InputStream

    init(_ stream: sending InputStream) {
        self.stream = stream
    }

    /// The stream, the first time; `nil` afterwards.
    func take() -> InputStream? {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        return wasTaken ? nil : stream
    }
}
