import FerryTransfers

/// The text of a progress line, as a pure function of the numbers.
struct ProgressLine: Equatable, Sendable {
    var name: String
    var progress = TransferProgress()
    var isUpload = false

    /// The progress as text, such as `x.bin: 12.3 MB of 45.6 MB (27 %), 5.1 MB/s, 0:07 left`.
    var text: String {
        var parts = [ByteText.text(progress.completedByteCount), ByteText.rate(progress.rate)]
        if let total = progress.totalByteCount, let percent { parts[0] += " of \(ByteText.text(total)) (\(percent))" }
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
        guard let fraction = progress.fractionCompleted, room >= shortest else {
            return TextStyle.prefix(label + "  " + tail, columns: max(0, width - 1))
        }
        let filled = Int((Double(room) * fraction).rounded(.down))
        let done = String(repeating: style.isUnicode ? "━" : "=", count: filled)
        let open = String(repeating: style.isUnicode ? "─" : "-", count: room - filled)
        return label + "  " + style.accent(done) + style.dim(open) + "  " + tail
    }

    private var percent: String? { progress.fractionCompleted.map { "\(Int($0 * 100)) %" } }

    private var timeLeft: String? {
        progress.timeLeft.flatMap { $0 > 0 ? ByteText.duration($0) + " left" : nil }
    }

    private func columns(isWide: Bool) -> String {
        var columns: [String] = []
        var sizes = ByteText.text(progress.completedByteCount)
        var sizeWidth = "999.9 MB".count
        if let percent { columns.append(percent.padded(to: "100 %".count)) }
        if isWide, let total = progress.totalByteCount {
            sizes += " of " + ByteText.text(total)
            sizeWidth = "999.9 MB of 999.9 MB".count
        }
        columns.append(sizes.padded(to: sizeWidth))
        columns.append(ByteText.rate(progress.rate).padded(to: "999.9 MB/s".count))
        columns.append((timeLeft ?? "").padded(to: "59:59 left".count))
        return columns.joined(separator: "  ")
    }
}
