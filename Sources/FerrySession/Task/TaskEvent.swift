/// An event of a task, to be delivered in the order of occurrence.
enum TaskEvent: Sendable {
    case redirect(HTTPURLResponse, URLRequest)
    case needsBodyStream
    case challenge(AuthenticationQuestion)
    case sent(ByteCount, expected: ByteCount?)
    /// The request's body starts again, so earlier counts of sent bytes no longer apply.
    case rewound
    case response(ReceivedResponse)
    /// Bytes are waiting in the task's buffer.
    case data
    case wrote(ByteCount)
    case resumed(at: ByteCount, expectedTotal: ByteCount?)
    case becameDownload(CurlDownloadTask)
    case downloaded(DownloadFile)
    /// A complete response may be stored.
    case willCache(CacheCandidate)
    case completed((any Error)?)

    /// Merges the next event into this one if both are of one kind, so that a fast transfer does not fill the queue.
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
