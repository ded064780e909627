/// Measures the time to the response head and to the end of the body.
final class FetchClock {
    private var startedAt = ContinuousClock.now
    private var headAt: ContinuousClock.Instant?

    func start() {
        startedAt = .now
        headAt = nil
    }

    func noteHead() {
        headAt = .now
    }

    /// Returns the line of `-v` that follows the body: the times of the head and the body, the body's size and rate.
    func summary(received: Int64) -> String {
        let now = ContinuousClock.now
        let whole = seconds(now - startedAt)
        let head = headAt.map { seconds($0 - startedAt) } ?? whole
        let body = max(whole - head, 0)
        let rate = body > 0 ? ", " + ByteText.rate(Double(received) / body) : ""
        return
            "* head after \(ByteText.elapsed(head)), \(ByteText.text(received)) of body in \(ByteText.elapsed(body))\(rate), total \(ByteText.elapsed(whole))"
    }

    private func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
