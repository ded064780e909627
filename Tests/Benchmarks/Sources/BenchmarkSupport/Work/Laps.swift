/// Times at the ends of equally long parts of a long run.
public struct Laps: Sendable {
    private var walls: [Double] = [ProcessUsage.monotonic]
    private var cpus: [Double] = [ProcessUsage.cpu]

    /// Starts the first lap.
    public init() {}

    /// Ends a lap.
    public mutating func note() {
        walls.append(ProcessUsage.monotonic)
        cpus.append(ProcessUsage.cpu)
    }

    /// The number of laps at either end that are compared: enough that a short slowdown of the machine does not decide.
    private static let laps = 20

    /// The medians of the first laps, without the very first, which warms up, and of the last ones, in seconds.
    public var extras: [String: Double] {
        guard walls.count > 2 * (Self.laps + 1) else { return [:] }
        let first = 1..<(Self.laps + 1)
        let last = (walls.count - 1 - Self.laps)..<(walls.count - 1)
        return [
            "firstWall": median(walls, first), "lastWall": median(walls, last),
            "firstCPU": median(cpus, first), "lastCPU": median(cpus, last),
        ]
    }

    private func median(_ times: [Double], _ laps: Range<Int>) -> Double {
        Statistics.median(laps.map { times[$0 + 1] - times[$0] }) ?? 0
    }
}
