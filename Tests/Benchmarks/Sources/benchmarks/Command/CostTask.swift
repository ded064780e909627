import BenchmarkSupport
import Foundation

/// Counts the heap allocations and instructions of Ferry's clients, and compares them with a file or writes it.
struct CostTask {
    /// The workloads that count.
    static let workloads = Counter.allCases.map(\.rawValue)

    private let file: URL
    private let records: Bool

    /// Creates the task that the options request; nil if they request none.
    init?(_ options: Options) {
        guard let path = options["check-costs"] ?? options["record-costs"] else { return nil }
        file = URL(fileURLWithPath: path)
        records = options["check-costs"] == nil
    }

    /// Returns why the numbers of this machine cannot be compared with the file; nil if they can.
    func reasonToSkip() throws -> String? {
        guard !records else { return nil }
        let recorded = try CostRecord(contentsOf: file).versions
        let here = Machine.libraryVersions
        guard let name = recorded.keys.sorted().first(where: { recorded[$0] != here[$0] }) else { return nil }
        return "the file is about \(name) \(recorded[name] ?? ""), and this is \(here[name] ?? "an unknown version")"
    }

    /// Returns what to measure once more, given the results so far: numbers that are larger than the file's.
    ///
    /// The timing of threads makes a number too large occasionally; the smallest number of all rounds counts.
    func isSettled() throws -> Run.IsSettled {
        guard !records else { return { _, _, _ in false } }
        let recorded = try CostRecord(contentsOf: file)
        return { counter, client, results in
            let values = results.values(Subject(counter, client, .extra(counter))).compactMap { $0 }
            return values.contains { !recorded.exceeds($0, counter, client) }
        }
    }

    /// Writes the file, or throws an error that names every number that is larger than the file says.
    func finish(_ results: Results) throws {
        let measured = CostRecord(versions: Machine.libraryVersions, results: results, clients: Clients.ferry)
        if records { return try measured.write(to: file) }
        let excesses = try CostRecord(contentsOf: file).excesses(in: measured)
        guard excesses.isEmpty else {
            throw BenchmarkError(
                excesses.joined(separator: "; ") + ". If that is intended, record the new numbers with"
                    + " --record-costs \(file.path)"
            )
        }
        print("No client takes more than \(file.lastPathComponent) says")
    }
}
