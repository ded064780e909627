import Foundation

/// The heap allocations and instructions of one small request by client, kept in a file to compare later versions with.
public struct CostRecord: Codable, Sendable, Equatable {
    /// The growth that is accepted, as a factor: the timing of threads changes the numbers by one to two percent.
    public static let tolerance = 1.03

    /// The versions of the libraries whose costs are included; numbers made with other versions cannot be compared.
    public var versions: [String: String]

    /// The numbers by counter and client, such as `allocations` and `ferry:delegate`.
    public var costs: [String: [String: Double]]

    /// Creates a record.
    public init(versions: [String: String], costs: [String: [String: Double]]) {
        self.versions = versions
        self.costs = costs
    }

    /// Creates a record of the smallest number of each client over all rounds.
    public init(versions: [String: String], results: Results, clients: [String]) {
        self.init(versions: versions, costs: [:])
        for counter in Counter.allCases.map(\.rawValue) {
            for client in clients {
                let values = results.values(Subject(counter, client, .extra(counter))).compactMap { $0 }
                guard let least = values.min() else { continue }
                costs[counter, default: [:]][client] = Self.rounded(least)
            }
        }
    }

    /// Reads a record from a file.
    public init(contentsOf file: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    /// Writes the record to a file, in a form that is easy to compare by lines.
    public func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: file, options: .atomic)
    }

    /// Returns a sentence for each number of this record that has grown in a new record, or is missing there.
    public func excesses(in measured: CostRecord) -> [String] {
        costs.sorted { $0.key < $1.key }.flatMap { counter, recorded in
            recorded.sorted { $0.key < $1.key }.compactMap { client, old in
                guard let new = measured.costs[counter]?[client] else {
                    return "the \(counter) of \(client) were not counted"
                }
                guard exceeds(new, counter, client) else { return nil }
                let growth = Notation.tenths.text((new / old - 1) * 100)
                return "a request of \(client) takes \(Notation.tenths.text(new)) \(counter), \(growth) % more than "
                    + "the recorded \(Notation.tenths.text(old))"
            }
        }
    }

    /// Returns whether a number exceeds this record's number by more than the tolerance.
    public func exceeds(_ new: Double, _ counter: String, _ client: String) -> Bool {
        guard let old = costs[counter]?[client] else { return false }
        // The number is rounded as in a record, so that it is judged in the same way.
        return Self.rounded(new) > old * Self.tolerance
    }

    private static func rounded(_ number: Double) -> Double {
        (number * 10).rounded() / 10
    }
}
