/// What became of one URL, for `--write-out`, `--json-log`, `--timings` and `--timeline`.
struct TransferReport: Equatable, Sendable {
    /// The number of the URL, from 0.
    var index = 0
    /// The URL that was asked for, without credentials.
    var url = ""
    var method = "GET"
    /// The file that the body went to.
    var file: String?
    var contentType: String?
    var redirectCount = 0
    /// The requests in order: redirections and repetitions too.
    var requests: [RequestTiming] = []
    var failure: CommandFailure?

    var status: ExitStatus { failure?.status ?? .success }

    /// Seconds from the first request's start to the last one's end.
    var duration: Double {
        guard let first = requests.first, let last = requests.last else { return 0 }
        return max(0, last.start + last.end - first.start)
    }

    /// Seconds before the last request began.
    var timeBeforeLastRequest: Double {
        guard let first = requests.first, let last = requests.last else { return 0 }
        return max(0, last.start - first.start)
    }

    /// The sum of what a moment came after in each request, which is how curl counts redirections.
    func sum(_ moment: (RequestTiming) -> Double) -> Double {
        requests.reduce(0) { $0 + moment($1) }
    }
}
