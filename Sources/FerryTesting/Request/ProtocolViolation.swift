/// A request that is not HTTP/1.1, and the status that says so.
struct ProtocolViolation: Error, Equatable {
    let status: Int
    let reason: String

    init(_ reason: String, status: Int = 400) {
        self.status = status
        self.reason = reason
    }
}
