/// Times at the ends of equally long pieces of a long run.
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

    /// The median of the first five laps but one, which warms up, and of the last five, in seconds.
    public var extras: [String: Double] {
        let first = 1..<6
        guard walls.count > 12 else { return [:] }
        let last = (walls.count - 6)..<(walls.count - 1)
        return [
            "firstWall": median(walls, first), "lastWall": median(walls, last),
            "firstCPU": median(cpus, first), "lastCPU": median(cpus, last),
        ]
    }

    private func median(_ times: [Double], _ laps: Range<Int>) -> Double {
        Statistics.median(laps.map { times[$0 + 1] - times[$0] }) ?? 0
    }
}
