/// An error in the arguments; the message is one sentence without a full stop.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
