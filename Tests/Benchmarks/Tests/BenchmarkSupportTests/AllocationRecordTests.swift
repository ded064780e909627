import BenchmarkSupport
import Foundation
import Testing

struct AllocationRecordTests {
    private func record(_ allocations: [String: Double]) -> AllocationRecord {
        AllocationRecord(versions: ["libcurl": "7.88.1"], allocations: allocations)
    }

    @Test func `Growth within three percent is accepted, and less always`() {
        #expect(record(["a": 100, "b": 100]).excesses(in: record(["a": 103, "b": 60, "new": 900])).isEmpty)
    }

    @Test func `Every client that allocates more, or was not measured, is named`() {
        let excesses = record(["a": 100, "b": 100, "c": 100]).excesses(in: record(["a": 104, "b": 100]))
        #expect(excesses.count == 2)
        #expect(excesses.first == "a makes 104.0 allocations for each request, 4.00 % more than the recorded 100.0")
        #expect(excesses.last == "c was not measured")
    }

    @Test func `The smallest number of the rounds counts, and failures do not`() {
        var results = Results()
        for value in [130.25, nil, 127.96] as [Double?] {
            let sample = value.map {
                Sample(
                    count: 1,
                    wall: 1,
                    cpu: 1,
                    peakMemory: 0,
                    startMemory: 0,
                    threads: 1,
                    extras: ["allocations": $0]
                )
            }
            results.add(sample.map(Outcome.sample) ?? .failed("refused"), workload: "W", client: "a")
        }
        #expect(results.leastAllocations(workload: "W", clients: ["a", "b"]) == ["a": 128])
    }

    @Test func `A record survives its file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "allocations-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let written = record(["a": 1.5])
        try written.write(to: file)
        #expect(try AllocationRecord(contentsOf: file) == written)
    }
}
