import Ferry

/// The text of a progress line, as a pure function of the numbers.
struct ProgressLine: Equatable, Sendable {
    var name: String
    var completed: Int64 = 0
    var total: Int64?
    /// Bytes per second.
    var rate: Double?
    var isUpload = false

    var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(completed) / Double(total))
    }

    /// The progress as text, such as `x.bin: 12.3 MB of 45.6 MB (27 %), 5.1 MB/s, 0:07 left`.
    var text: String {
        var parts = [ByteText.text(completed)]
        if let total, let fraction {
            parts = ["\(ByteText.text(completed)) of \(ByteText.text(total)) (\(Int(fraction * 100)) %)"]
        }
        if let rate { parts.append(ByteText.rate(rate)) }
        if let timeLeft { parts.append(timeLeft) }
        return name + ": " + (isUpload ? "sent " : "") + parts.joined(separator: ", ")
    }

    /// Returns a bar that fills the width, with columns of constant width after it.
    func bar(width: Int, style: TextStyle) -> String {
        let most = max(10, width / 4)
        let isLong = TextStyle.columns(name) > most
        let label = isLong ? TextStyle.prefix(name, columns: most - 1) + (style.isUnicode ? "…" : "~") : name
        let tail = columns(isWide: width >= 100)
        let room = width - 1 - TextStyle.columns(label) - tail.count - 4
        let shortest = 8
        guard let fraction, room >= shortest else {
            return TextStyle.prefix(label + "  " + tail, columns: max(0, width - 1))
        }
        let filled = Int((Double(room) * fraction).rounded(.down))
        let done = String(repeating: style.isUnicode ? "━" : "=", count: filled)
        let open = String(repeating: style.isUnicode ? "─" : "-", count: room - filled)
        return label + "  " + style.accent(done) + style.dim(open) + "  " + tail
    }

    private var timeLeft: String? {
        guard let rate, rate > 0, let total, total > completed else { return nil }
        return ByteText.duration(Double(total - completed) / rate) + " left"
    }

    private func columns(isWide: Bool) -> String {
        var columns: [String] = []
        var sizes = ByteText.text(completed)
        var sizeWidth = "999.9 MB".count
        if let fraction { columns.append("\(Int(fraction * 100)) %".padded(to: "100 %".count)) }
        if isWide, let total {
            sizes += " of " + ByteText.text(total)
            sizeWidth = "999.9 MB of 999.9 MB".count
        }
        columns.append(sizes.padded(to: sizeWidth))
        columns.append((rate.map(ByteText.rate) ?? "").padded(to: "999.9 MB/s".count))
        columns.append((timeLeft ?? "").padded(to: "59:59 left".count))
        return columns.joined(separator: "  ")
    }
}

/// Measures the rate over the last few seconds.
struct RateMeter: Sendable {
    private struct Sample {
        var time: Double
        var count: Int64
    }

    /// The seconds over which the rate is measured.
    private let span = 3.0
    private let interval = 0.1
    private var samples: [Sample]

    /// Starts at a time in seconds, with the number of bytes at that time.
    init(at time: Double, count: Int64 = 0) {
        samples = [Sample(time: time, count: count)]
    }

    /// Records the number of bytes so far.
    mutating func add(_ count: Int64, at time: Double) {
        if samples.count > 1, let last = samples.indices.last, time - samples[last - 1].time < interval {
            samples[last].count = count
        } else {
            samples.append(Sample(time: time, count: count))
        }
        // One sample from before the span is kept as the starting point.
        while samples.count > 2, samples[1].time <= time - span { samples.removeFirst() }
    }

    /// Returns the bytes per second, or `nil` until enough time has passed.
    func rate(at time: Double) -> Double? {
        guard let first = samples.first, let last = samples.last, time - first.time >= interval else { return nil }
        return max(0, Double(last.count - first.count) / (time - first.time))
    }
}
