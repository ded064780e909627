/// What a task has to tell, in the order it happened.
enum TaskEvent: Sendable {
    case redirect(HTTPURLResponse, URLRequest)
    case needsBodyStream
    case challenge(AuthenticationQuestion)
    case sent(ByteCount, expected: ByteCount?)
    /// The body starts again: what was sent does not count any more.
    case rewound
    case response(ReceivedResponse)
    /// Bytes wait in the task's buffer.
    case data
    case wrote(ByteCount)
    case resumed(at: ByteCount, expectedTotal: ByteCount?)
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
        case (.wrote(var count), .wrote(let more)):
            count.add(more)
            self = .wrote(count)
            return true
        case (.sent(var count, _), .sent(let more, let expected)):
            count.add(more)
            self = .sent(count, expected: expected)
            return true
        default:
            return false
        }
    }
}
