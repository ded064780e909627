/// Formats sizes, rates and durations for people.
enum ByteText {
    /// Returns a size such as `512 B`, `12.3 kB` or `1.3 GB`; a kilobyte has 1000 bytes.
    static func text(_ count: Int64) -> String { scaled(Double(count)) }

    /// Returns a rate such as `5.1 MB/s`.
    static func rate(_ bytesPerSecond: Double) -> String { scaled(bytesPerSecond) + "/s" }

    /// Returns a duration such as `0:07`, `12:30` or `3:00:00`.
    static func duration(_ seconds: Double) -> String {
        let longest = 360_000.0
        guard seconds.isFinite, seconds >= 0, seconds < longest else { return "a long time" }
        let whole = Int(seconds.rounded(.up))
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        let rest = padded(whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    /// Returns a measured time such as `0.3 ms`, `12 ms`, `1.25 s` or `12:30`.
    static func elapsed(_ seconds: Double) -> String {
        let milliseconds = seconds * 1000
        if milliseconds < 9.95 { return "\((max(milliseconds, 0) * 10).rounded() / 10) ms" }
        if milliseconds < 999.5 { return "\(Int(milliseconds.rounded())) ms" }
        return seconds < 60 ? "\((seconds * 100).rounded() / 100) s" : duration(seconds)
    }

    private static func scaled(_ count: Double) -> String {
        guard count >= 1000 else { return "\(Int(max(count, 0))) B" }
        var value = count
        var unit = "B"
        for next in ["kB", "MB", "GB", "TB", "PB"] where value >= 999.5 {
            value /= 1000
            unit = next
        }
        if value >= 99.95 { return "\(Int(value.rounded())) \(unit)" }
        return "\((value * 10).rounded() / 10) \(unit)"
    }

    private static func padded(_ number: Int) -> String { String(number).padded(to: 2, with: "0") }
}

extension String {
    /// Returns the text, padded on the left to a width.
    func padded(to width: Int, with character: Character = " ") -> String {
        String(repeating: character, count: max(0, width - count)) + self
    }
}
