/// The progress of a transfer, or of several together.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes that have arrived, including those of earlier attempts.
    public var completedByteCount: Int64
    /// The total number of bytes; nil while it is unknown.
    public var totalByteCount: Int64?
    /// The number of bytes per second during the last five seconds.
    public var rate: Double

    /// Creates a progress.
    public init(completedByteCount: Int64 = 0, totalByteCount: Int64? = nil, rate: Double = 0) {
        (self.completedByteCount, self.totalByteCount, self.rate) = (completedByteCount, totalByteCount, rate)
    }

    /// The seconds until the end at this rate; nil if the total is unknown or nothing arrives.
    public var timeLeft: TimeInterval? {
        guard let totalByteCount, rate > 0 else { return nil }
        return Double(max(0, totalByteCount - completedByteCount)) / rate
    }

    /// The completed fraction from 0 to 1; nil while the total is unknown.
    public var fractionCompleted: Double? {
        totalByteCount.map { $0 > 0 ? min(1, Double(completedByteCount) / Double($0)) : 1 }
    }

    /// Returns the progress of many transfers as one; its total is unknown while the total of a part is.
    public static func sum(of parts: some Sequence<TransferProgress>) -> TransferProgress {
        parts.reduce(into: TransferProgress(totalByteCount: 0)) { sum, part in
            sum.completedByteCount = adding(sum.completedByteCount, part.completedByteCount)
            sum.rate += part.rate
            guard let total = sum.totalByteCount, let more = part.totalByteCount else {
                sum.totalByteCount = nil
                return
            }
            sum.totalByteCount = adding(total, more)
        }
    }

    private static func adding(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

/// Measures the rate of a transfer, and decides when its progress is reported.
struct ProgressMeter: Sendable {
    private var rate = TransferRate(start: .now())
    private var lastReport = MonotonicTime(nanoseconds: 0)

    mutating func add(_ count: Int, at now: MonotonicTime) { rate.add(count, at: now) }

    /// Returns the progress to report, about ten times per second, or `always` at the beginning and the end.
    mutating func progress(
        of bytes: @autoclosure () -> Int64,
        total: Int64?,
        always: Bool,
        at now: MonotonicTime = .now()
    ) -> TransferProgress? {
        guard always || now.since(lastReport) >= .milliseconds(100) else { return nil }
        // The first bytes are reported too, however soon they follow the beginning.
        if !always { lastReport = now }
        return TransferProgress(completedByteCount: bytes(), totalByteCount: total, rate: rate.value(at: now))
    }
}

/// Measures bytes per second over the last seconds.
package struct TransferRate: Sendable {
    private var samples: [(time: MonotonicTime, bytes: Int64)] = []
    private var bytes: Int64 = 0
    private static let window = TimeSpan(seconds: 5)
    /// The time between two samples; bytes that arrive sooner are added to the last sample.
    private static let resolution = TimeSpan.milliseconds(100)

    package init(start: MonotonicTime) { samples = [(start, 0)] }

    package mutating func add(_ count: Int, at now: MonotonicTime) {
        bytes += Int64(count)
        if samples.count > 1, let last = samples.dropLast().last, now.since(last.time) < Self.resolution {
            samples[samples.count - 1] = (now, bytes)
        } else {
            samples.append((now, bytes))
        }
        let start = now.before(Self.window)
        if let first = samples.firstIndex(where: { $0.time >= start }), first > 1 { samples.removeFirst(first - 1) }
    }

    /// The rate up to now; zero before the first bytes.
    package func value(at now: MonotonicTime) -> Double {
        guard let first = samples.first else { return 0 }
        let seconds = now.since(first.time).seconds
        return seconds > 0 ? Double(bytes - first.bytes) / seconds : 0
    }
}
