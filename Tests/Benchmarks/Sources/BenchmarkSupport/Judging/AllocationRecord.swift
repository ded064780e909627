import Foundation

/// The heap allocations of one small request by client, kept in a file to compare later versions with.
public struct AllocationRecord: Codable, Sendable, Equatable {
    /// The growth that is accepted, as a factor: the timing of threads changes the numbers by one to two percent.
    public static let tolerance = 1.03

    /// The versions of the libraries that allocate too; numbers made with other versions cannot be compared.
    public var versions: [String: String]

    /// The number of allocations by client, such as `ferry:delegate`.
    public var allocations: [String: Double]

    /// Creates a record.
    public init(versions: [String: String], allocations: [String: Double]) {
        self.versions = versions
        self.allocations = allocations
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

    /// Returns a sentence for each client of this record that allocates more in a new one, or was not measured there.
    public func excesses(in measured: AllocationRecord) -> [String] {
        allocations.sorted { $0.key < $1.key }.compactMap { client, recorded in
            guard let new = measured.allocations[client] else { return "\(client) was not measured" }
            guard new > recorded * Self.tolerance else { return nil }
            let growth = Notation.ratio.text((new / recorded - 1) * 100)
            return "\(client) makes \(Notation.tenths.text(new)) allocations for each request, "
                + "\(growth) % more than the recorded \(Notation.tenths.text(recorded))"
        }
    }
}

extension Results {
    /// Returns the smallest number of allocations of each client over all rounds.
    public func leastAllocations(workload: String, clients: [String]) -> [String: Double] {
        var least: [String: Double] = [:]
        for client in clients {
            let values = values(Subject(workload, client, .extra("allocations"))).compactMap { $0 }
            if let value = values.min() { least[client] = (value * 10).rounded() / 10 }
        }
        return least
    }
}
