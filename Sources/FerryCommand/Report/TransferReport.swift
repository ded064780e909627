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
    /// The body bytes received, where the requests are not reported one by one.
    var bytesReceived: Int64 = 0
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
    func sum(_ moment: (RequestTiming) -> Double) -> Double { requests.reduce(0) { $0 + moment($1) } }
}

/// The table of `--timings`: one line for each request, with the durations of its phases.
enum TimingTable {
    /// The phases of requests; the wait for other transfers precedes the first request, and has no column.
    private static let phases = RequestPhase.allCases.filter { $0 != .turn }

    static func lines(_ requests: [RequestTiming]) -> [String] {
        let heads = ["status"] + phases.map(\.rawValue) + ["total", "size"]
        let rows = requests.map(cells)
        let widths = heads.indices.map { column in
            max(heads[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        func line(_ cells: [String], _ end: String) -> String {
            zip(cells, widths).map { $0.padded(to: $1) }.joined(separator: "  ") + "  " + end
        }
        return [line(heads, "URL")] + zip(requests, rows).map { line($1, name(of: $0)) }
    }

    private static func cells(_ request: RequestTiming) -> [String] {
        let spans = request.spans
        let times = phases.map { phase in
            spans.contains { $0.phase == phase } ? ByteText.elapsed(request.duration(of: phase)) : "-"
        }
        let status = request.status.map(String.init) ?? "-"
        return [status] + times + [ByteText.elapsed(request.end), ByteText.text(request.bytesReceived)]
    }

    private static func name(of request: RequestTiming) -> String {
        let method = request.method == "GET" ? "" : request.method + " "
        let longest = 100
        let url = TextStyle.shortened(TextStyle.printable(request.url), to: longest)
        return method + url + (request.isReused ? " (connection reused)" : "")
    }
}
