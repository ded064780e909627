/// The error of a request that is not valid HTTP/1.1, with the status to respond with.
struct ProtocolViolation: Error, Equatable {
    let status: Int
    let reason: String

    init(_ reason: String, status: Int = 400) {
        self.status = status
        self.reason = reason
    }
}
