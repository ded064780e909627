/// The time axis of a timeline, in seconds, with its ticks.
struct TimelineAxis: Equatable {
    struct Tick: Equatable {
        var label: String
        /// From 0 at the left to 1 at the right.
        var fraction: Double
    }

    /// The end of the last request, in seconds.
    let end: Double
    let ticks: [Tick]

    init(end: Double) {
        let shortest = 0.000_1
        let longest = 1e9
        self.end = end.isFinite ? min(max(end, shortest), longest) : shortest
        let step = Self.step(for: self.end)
        let count = Int((self.end / step + 1e-9).rounded(.down))
        let span = self.end
        ticks = (0...count).map {
            Tick(label: Self.label(Double($0) * step, step: step), fraction: Double($0) * step / span)
        }
    }

    func fraction(of seconds: Double) -> Double {
        min(max(seconds / end, 0), 1)
    }

    /// Returns a step of 1, 2 or 5 times a power of ten, of which two to seven fit into the axis.
    static func step(for end: Double) -> Double {
        var power = 1e-5
        while true {
            for factor in [1.0, 2, 5] where end / (factor * power) <= 7 { return factor * power }
            power *= 10
        }
    }

    private static func label(_ seconds: Double, step: Double) -> String {
        guard seconds > 0 else { return "0" }
        let isInSeconds = step >= 0.1
        let value = isInSeconds ? seconds : seconds * 1000
        let rounded = (value * 100).rounded() / 100
        let text = rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
        return text + (isInSeconds ? " s" : " ms")
    }
}
