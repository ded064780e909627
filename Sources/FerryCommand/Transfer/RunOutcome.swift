/// The outcome of all transfers of a command line.
struct RunOutcome: Sendable {
    /// The results in the order of the URLs; those of transfers that were not begun are missing.
    var results: [FetchResult] = []
    var urlCount = 0
    /// The status for the signal that ended the run before it was complete.
    var interruption: ExitStatus?

    var failureCount: Int { results.filter { $0.failure != nil }.count }
    var isWhole: Bool { failureCount == 0 && results.count == urlCount }

    /// The indices of the URLs that have not been transferred.
    var unfinished: Set<Int> {
        Set(0..<urlCount).subtracting(results.filter { $0.failure == nil }.map(\.index))
    }

    var status: ExitStatus {
        interruption ?? results.lazy.compactMap(\.failure).first?.status ?? .success
    }
}
