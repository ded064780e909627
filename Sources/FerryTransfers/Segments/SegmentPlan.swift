/// The bytes of a file that have arrived, and the parts that each worker fetches.
///
/// It does no input or output. Offsets are those of the whole file; a part belongs to one worker at a time.
struct SegmentPlan: Sendable {
    /// A part that a worker fetches.
    struct Segment: Sendable, Equatable {
        /// The offset up to which the part's bytes are in the file.
        var written: Int64
        /// The offset up to which the part's bytes have arrived; those after `written` are being written.
        var claimed: Int64
        /// The offset after the last byte; it decreases when another worker takes the rest.
        var end: Int64
        /// The offset up to which space has been reserved.
        var reserved: Int64 = 0

        var missing: Int64 { end - claimed }
    }

    /// The number of bytes of the file; the largest number while it is unknown.
    private(set) var total: Int64
    /// The parts that are in the file: in order, not empty, neither overlapping nor adjacent.
    private(set) var done: [Range<Int64>]
    private(set) var segments: [Int: Segment] = [:]
    /// The size of the smallest part that is worth a request of its own.
    let minimum: Int64
    /// The number of bytes for which space is reserved at a time.
    static let reservation: Int64 = 16_777_216

    /// Makes a plan for a file of which some parts have arrived.
    init(total: Int64?, done: [Range<Int64>] = [], minimum: Int64 = 262_144) {
        self.total = max(0, total ?? .max)
        self.minimum = max(1, minimum)
        self.done = []
        for range in done { insert(range) }
    }

    var isComplete: Bool { total == 0 || done == [0..<total] }
    /// The number of bytes that are in the file.
    var count: Int64 { done.reduce(0) { $0 + Int64($1.count) } }
    /// The number of bytes at the beginning of the file without a gap.
    var prefix: Int64 { done.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    /// The parts that are neither in the file nor fetched by a worker, in order.
    var gaps: [Range<Int64>] {
        let busy = segments.values.map { $0.written..<$0.end }.filter { !$0.isEmpty }
        var gaps: [Range<Int64>] = []
        var position: Int64 = 0
        for range in (done + busy).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
            position = max(position, range.upperBound)
        }
        if position < total { gaps.append(position..<total) }
        return gaps
    }

    /// Assigns a part to a worker without one, and returns it; `nil` if no part is large enough for another request.
    ///
    /// It is the largest gap or, without gaps, the second half of the rest that another worker would need longest for.
    /// `rates` has the known bytes per second of workers.
    mutating func assign(to worker: Int, rates: [Int: Double] = [:]) -> Range<Int64>? {
        guard segments[worker] == nil else { return nil }
        if let gap = gaps.max(by: { $0.count < $1.count }) {
            segments[worker] = Segment(written: gap.lowerBound, claimed: gap.lowerBound, end: gap.upperBound)
            return gap
        }
        let known = rates.values.filter { $0 > 0 }
        let usual = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
        func wait(_ entry: (key: Int, value: Segment)) -> Double {
            Double(entry.value.missing) / max(rates[entry.key] ?? usual, 1)
        }
        let candidates = segments.filter { $0.value.missing / 2 >= minimum }
        guard let slowest = candidates.max(by: { (wait($0), $1.key) < (wait($1), $0.key) }) else { return nil }
        let missing = slowest.value.missing
        let middle = slowest.value.claimed + missing / 2 + missing % 2
        let part = middle..<slowest.value.end
        segments[slowest.key]?.end = middle
        segments[worker] = Segment(written: middle, claimed: middle, end: part.upperBound)
        return part
    }

    /// Extends a worker's part at its end by the gap that follows, if there is one, for a response that goes on.
    mutating func extend(_ worker: Int) {
        guard let segment = segments[worker], segment.missing == 0,
            let gap = gaps.first(where: { $0.lowerBound == segment.end })
        else { return }
        segments[worker]?.end = gap.upperBound
    }

    /// Claims bytes that have arrived, and returns where to write them; there may be fewer than have arrived.
    mutating func claim(_ worker: Int, _ count: Int) -> Range<Int64>? {
        guard let segment = segments[worker], segment.missing > 0, count > 0 else { return nil }
        let part = segment.claimed..<segment.claimed + min(Int64(count), segment.missing)
        segments[worker]?.claimed = part.upperBound
        return part
    }

    /// Returns the part of the file to reserve space for before a worker's next bytes are written; `nil` if it is
    /// reserved, or too small to be worth it.
    ///
    /// If a server announces more than it sends, no more space than this is wasted.
    mutating func reserve(_ worker: Int) -> Range<Int64>? {
        guard total < .max, let segment = segments[worker], segment.claimed > segment.reserved else { return nil }
        let start = max(segment.written, segment.reserved)
        let size = min(segment.end - start, Self.reservation)
        segments[worker]?.reserved = start + size
        return size >= minimum ? start..<start + size : nil
    }

    /// Records that all bytes that the worker has claimed are in the file.
    mutating func confirm(_ worker: Int) {
        guard let segment = segments[worker] else { return }
        insert(segment.written..<segment.claimed)
        segments[worker]?.written = segment.claimed
    }

    /// Ends the part of a worker, whose missing bytes become a gap.
    mutating func release(_ worker: Int) { segments[worker] = nil }

    /// Sets the number of bytes of the file once it is known, and forgets parts after its end.
    mutating func finish(at total: Int64) {
        self.total = max(0, total)
        done = done.compactMap { $0.lowerBound < total ? $0.clamped(to: 0..<self.total) : nil }
    }

    /// Forgets parts that must be fetched again.
    mutating func forget(_ ranges: [Range<Int64>]) {
        for range in ranges where !range.isEmpty {
            done = done.flatMap { part in
                guard part.overlaps(range) else { return [part] }
                let rest = [
                    part.lowerBound..<max(part.lowerBound, range.lowerBound),
                    min(part.upperBound, range.upperBound)..<part.upperBound,
                ]
                return rest.filter { !$0.isEmpty }
            }
        }
    }

    private mutating func insert(_ range: Range<Int64>) {
        var range = range.clamped(to: 0..<total)
        guard !range.isEmpty else { return }
        // Most bytes follow the last ones of their worker, and there are few parts.
        var rest: [Range<Int64>] = []
        for part in done {
            if part.upperBound < range.lowerBound || part.lowerBound > range.upperBound {
                rest.append(part)
            } else {
                range = min(part.lowerBound, range.lowerBound)..<max(part.upperBound, range.upperBound)
            }
        }
        let place = rest.firstIndex { $0.lowerBound > range.lowerBound } ?? rest.count
        rest.insert(range, at: place)
        done = rest
    }
}
