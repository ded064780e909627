import BenchmarkSupport
import Foundation

/// Counts the heap allocations of Ferry's clients, and compares them with a file or writes it.
struct AllocationTask {
    /// The workload that counts allocations.
    static let workload = "allocations"

    private let file: URL
    private let records: Bool

    /// Creates the task that the options ask for; nil if they ask for none.
    init?(_ options: Options) {
        guard let path = options["check-allocations"] ?? options["record-allocations"] else { return nil }
        file = URL(fileURLWithPath: path)
        records = options["check-allocations"] == nil
    }

    /// Returns why the numbers of this machine cannot be compared with the file; nil if they can.
    func reasonToSkip() throws -> String? {
        guard !records else { return nil }
        let recorded = try AllocationRecord(contentsOf: file).versions
        let here = Machine.libraryVersions
        guard let name = recorded.keys.sorted().first(where: { recorded[$0] != here[$0] }) else { return nil }
        return "the file is about \(name) \(recorded[name] ?? ""), and this is \(here[name] ?? "an unknown version")"
    }

    /// Writes the file, or throws an error that names every client with more allocations than the file says.
    func finish(_ results: Results) throws {
        let counts = results.leastAllocations(workload: Self.workload, clients: Clients.ferry)
        let measured = AllocationRecord(versions: Machine.libraryVersions, allocations: counts)
        if records { return try measured.write(to: file) }
        let excesses = try AllocationRecord(contentsOf: file).excesses(in: measured)
        guard excesses.isEmpty else {
            throw BenchmarkError(
                excesses.joined(separator: "; ") + ". If that is intended, record the new numbers with"
                    + " --record-allocations \(file.path)"
            )
        }
        print("No client makes more allocations than \(file.lastPathComponent) says")
    }
}
