/// The outcome of one URL, for `--write-out`, `--json-log`, `--timings` and `--timeline`.
struct TransferReport: Equatable, Sendable {
    /// The index of the URL, from 0.
    var index = 0
    /// The requested URL, without credentials.
    var url = ""
    var method = "GET"
    /// The file that the body was written to.
    var file: String?
    var contentType: String?
    var redirectCount = 0
    /// All requests in order, redirects and repeated requests included.
    var requests: [RequestTiming] = []
    var failure: CommandFailure?

    var status: ExitStatus { failure?.status ?? .success }

    /// The seconds from the start of the first request to the end of the last one.
    var duration: Double {
        guard let first = requests.first, let last = requests.last else { return 0 }
        return max(0, last.start + last.end - first.start)
    }

    /// The seconds from the start of the first request to the start of the last one.
    var timeBeforeLastRequest: Double {
        guard let first = requests.first, let last = requests.last else { return 0 }
        return max(0, last.start - first.start)
    }

    /// Returns the sum of a time over all requests, which is how curl counts redirects.
    func sum(_ moment: (RequestTiming) -> Double) -> Double {
        requests.reduce(0) { $0 + moment($1) }
    }
}
