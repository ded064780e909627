import BenchmarkSupport
import Foundation
import Testing

struct CostRecordTests {
    private func record(_ allocations: [String: Double], instructions: [String: Double] = [:]) -> CostRecord {
        let costs = ["allocations": allocations, "instructions": instructions]
        return CostRecord(versions: ["libcurl": "7.88.1"], costs: costs)
    }

    private func sample(_ allocations: Double) -> Sample {
        Sample(
            count: 1,
            wall: 1,
            cpu: 1,
            peakMemory: 0,
            startMemory: 0,
            threads: 1,
            extras: ["allocations": allocations]
        )
    }

    @Test func `Growth within three percent is accepted, and less always`() {
        #expect(record(["a": 100, "b": 100]).excesses(in: record(["a": 103, "b": 60, "new": 900])).isEmpty)
    }

    @Test func `Every number that grew, or is missing, is named`() {
        let old = record(["a": 100, "b": 100, "c": 100], instructions: ["a": 300_000])
        let excesses = old.excesses(in: record(["a": 104, "b": 100], instructions: ["a": 330_000]))
        #expect(
            excesses == [
                "a request of a takes 104.0 allocations, 4.0 % more than the recorded 100.0",
                "the allocations of c were not counted",
                "a request of a takes 330000.0 instructions, 10.0 % more than the recorded 300000.0",
            ]
        )
    }

    @Test func `The smallest number of the rounds counts, and failures do not`() {
        var results = Results()
        for value in [130.25, nil, 127.96] as [Double?] {
            results.add(value.map { .sample(sample($0)) } ?? .failed("refused"), workload: "allocations", client: "a")
        }
        let record = CostRecord(versions: [:], results: results, clients: ["a", "b"])
        #expect(record.costs == ["allocations": ["a": 128]])
    }

    @Test(arguments: [136.94, 136.96, 137])
    func `A number is judged alike before and after it is recorded`(number: Double) {
        let old = record(["a": 133])
        var results = Results()
        results.add(.sample(sample(number)), workload: "allocations", client: "a")
        let new = CostRecord(versions: [:], results: results, clients: ["a"])
        #expect(old.exceeds(number, "allocations", "a") == (number > 136.95))
        #expect(old.excesses(in: new).isEmpty == (number < 136.95))
    }

    @Test func `A record survives its file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "costs-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let written = record(["a": 1.5])
        try written.write(to: file)
        #expect(try CostRecord(contentsOf: file) == written)
    }
}
