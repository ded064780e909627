/// The table of `--timings`: one line for each request, with the durations of its phases.
enum TimingTable {
    private static let phases = RequestPhase.allCases

    static func lines(_ requests: [RequestTiming]) -> [String] {
        let heads = ["status"] + phases.map(\.rawValue) + ["total", "size"]
        let rows = requests.map(cells)
        let widths = heads.indices.map { column in
            max(heads[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        func line(_ cells: [String], _ end: String) -> String {
            zip(cells, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }.joined(separator: "  ")
                + "  " + end
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
