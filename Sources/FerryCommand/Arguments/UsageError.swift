/// What is wrong with the arguments, in one sentence without a full stop.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
