import Foundation

/// A downloaded file that must be published or removed.
struct DownloadedFile: Sendable {
    /// The result of publishing or removing a file.
    struct Settlement: Sendable {
        let url: URL?
        let error: NetworkError?
    }

    /// The largest part, in bytes, that is read of a body with an unacceptable status.
    static let errorBodyLimit = 1 << 20

    private let outcome: TaskOutcome
    private let destination: DownloadDestination?

    /// Creates a value for the file of a task, if it has one.
    init(_ outcome: TaskOutcome, destination: DownloadDestination?) {
        self.outcome = outcome
        self.destination = destination
    }

    /// Moves the file to its destination; after an error, removes it and stores its beginning in the error.
    func settle(error: NetworkError?) -> Settlement {
        guard let file = outcome.temporaryFile else { return Settlement(url: nil, error: error) }
        if var error {
            error.data = error.data ?? TemporaryFile.beginning(of: file, limit: Self.errorBodyLimit)
            TemporaryFile.discard(file)
            return Settlement(url: nil, error: error)
        }
        let place = outcome.hookDestination ?? destination?.resolve(file, response: outcome.response)
        guard let place else {
            TemporaryFile.discard(file)
            return Settlement(url: nil, error: nil)
        }
        // The options are those of the task: a destination that a hook returned is never overwritten.
        let options = outcome.hookDestination == nil ? destination?.options ?? [] : []
        do {
            try FilePublisher(options: options).publish(file, at: place)
            return Settlement(url: place, error: nil)
        } catch {
            return Settlement(url: nil, error: moveError(file, place: place, reason: error))
        }
    }

    private func moveError(_ file: URL, place: URL, reason: any Error) -> NetworkError {
        let error = DownloadMoveError(temporaryURL: file, destinationURL: place, underlyingError: reason)
        return NetworkError(
            .moveFailed,
            message: error.localizedDescription,
            response: outcome.response as? HTTPURLResponse,
            underlyingError: error
        )
    }
}
