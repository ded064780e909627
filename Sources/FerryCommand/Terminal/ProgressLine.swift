import Ferry

/// One line about transfers that are under way, as a pure function.
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

    /// `12.3 MB of 45.6 MB (27 %), 5.1 MB/s, 0:07 left`.
    var text: String {
        name + ": " + (isUpload ? "sent " : "") + details.joined(separator: ", ")
    }

    /// A bar that fills the width.
    func bar(width: Int, style: TextStyle) -> String {
        let shortest = 10
        var label = name
        let most = max(shortest, width / 4)
        if label.count > most { label = String(label.prefix(most - 1)) + (style.isUnicode ? "…" : "~") }
        let tail = details.joined(separator: "  ")
        let room = width - 1 - label.count - tail.count - 4
        guard let fraction, room >= shortest else { return String((label + "  " + tail).prefix(max(0, width - 1))) }
        let filled = Int((Double(room) * fraction).rounded(.down))
        let done = String(repeating: style.isUnicode ? "━" : "=", count: filled)
        let open = String(repeating: style.isUnicode ? "─" : "-", count: room - filled)
        return label + "  " + style.bold(style.cyan(done)) + style.dim(open) + "  " + tail
    }

    private var details: [String] {
        var parts: [String] = []
        if let total, let fraction {
            parts.append("\(ByteCount.text(completed)) of \(ByteCount.text(total)) (\(Int(fraction * 100)) %)")
        } else {
            parts.append(ByteCount.text(completed))
        }
        if let rate {
            parts.append(ByteCount.rate(rate))
            if let total, total > completed, rate > 0 {
                parts.append(ByteCount.duration(Double(total - completed) / rate) + " left")
            }
        }
        return parts
    }
}
