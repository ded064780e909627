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

    /// Starts at a time in seconds, with the bytes that were there already.
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
