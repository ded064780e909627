import BenchmarkSupport
import Foundation

extension Report {
    /// Returns the report as JSON: every sample of every round, and every target.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            File(
                date: date,
                rounds: rounds,
                isQuick: isQuick,
                machine: machine,
                workloads: workloads.map(entry),
                targets: judgements.map { target, judgement in
                    TargetEntry(
                        title: target.title,
                        workload: target.subject.workload,
                        client: target.subject.client,
                        measured: judgement.value,
                        unit: target.unit.rawValue,
                        bound: target.bound.text(target.unit),
                        verdict: judgement.word
                    )
                }
            )
        )
    }

    private func entry(_ workload: Workload) -> WorkloadEntry {
        WorkloadEntry(
            id: workload.id,
            title: workload.title,
            count: workload.count,
            inFlight: workload.inFlight,
            clients: workload.clients.map { client in
                let outcomes = results.outcomes(workload: workload.id, client: client)
                return ClientEntry(
                    client: client,
                    samples: outcomes.compactMap(\.sample),
                    failures: outcomes.compactMap(\.reason)
                )
            }
        )
    }

    private struct File: Encodable {
        let date: String
        let rounds: Int
        let isQuick: Bool
        let machine: Machine
        let workloads: [WorkloadEntry]
        let targets: [TargetEntry]
    }

    private struct WorkloadEntry: Encodable {
        let id: String
        let title: String
        let count: Int
        let inFlight: Int
        let clients: [ClientEntry]
    }

    private struct ClientEntry: Encodable {
        let client: String
        let samples: [Sample]
        let failures: [String]
    }

    private struct TargetEntry: Encodable {
        let title: String
        let workload: String
        let client: String
        let measured: Double?
        let unit: String
        let bound: String
        let verdict: String
    }
}
