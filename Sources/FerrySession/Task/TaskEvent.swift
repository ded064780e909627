/// What a task has to tell, in the order it happened.
enum TaskEvent: Sendable {
    case redirect(HTTPURLResponse, URLRequest)
    case needsBodyStream
    case challenge(AuthenticationQuestion)
    case sent(Int64, expected: Int64)
    /// The body starts again: what was sent counts no more.
    case rewound
    case response(ReceivedResponse)
    /// Bytes wait in the task's buffer.
    case data
    case wrote(Int64)
    case resumed(at: Int64, expectedTotal: Int64)
    case becameDownload(CurlDownloadTask)
    case downloaded(DownloadFile)
    /// A whole response may be stored.
    case willCache(CacheCandidate)
    case completed((any Error)?)

    /// Joins an event with the one before it, where both say the same: a fast transfer must not fill memory with news.
    mutating func merge(_ next: TaskEvent) -> Bool {
        switch (self, next) {
        case (.data, .data):
            return true
        case (.wrote(let first), .wrote(let second)):
            self = .wrote(first + second)
            return true
        case (.sent(let first, _), .sent(let second, let expected)):
            self = .sent(first + second, expected: expected)
            return true
        default:
            return false
        }
    }
}
