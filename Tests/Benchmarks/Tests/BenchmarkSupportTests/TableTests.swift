import BenchmarkSupport
import Foundation
import Testing

struct TableTests {
    private let sizes = Sizes(isQuick: false)

    private func subjects(of target: Target) -> [Subject] {
        switch target.comparison {
        case .itself: [target.subject]
        case .dividedByBest(let others), .less(let others): [target.subject] + others
        case .reached(let other): [target.subject, other]
        }
    }

    @Test func `Every target is about clients that run`() {
        let workloads = Dictionary(uniqueKeysWithValues: Workload.all(sizes).map { ($0.id, Set($0.clients)) })
        for target in Target.all(sizes) {
            #expect(workloads[target.subject.workload]?.contains(target.subject.client) == true, "\(target.title)")
            let others = subjects(of: target).dropFirst()
            let runs = others.contains { workloads[$0.workload]?.contains($0.client) == true }
            #expect(others.isEmpty || runs, "\(target.title)")
        }
    }

    @Test func `Every client of a workload is known`() {
        for workload in Workload.all(sizes) {
            #expect(Set(workload.clients).isSubset(of: Clients.all), "\(workload.id)")
        }
    }

    @Test func `An order survives the command line`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:8080/files/small.json"))
        var order = WorkOrder(work: .uploadData, face: "delegate", url: url, count: 7, inFlight: 3, bytes: 1024)
        order.warmUp = 2
        order.connections = 64
        order.file = URL(fileURLWithPath: "/tmp/a file")
        #expect(try WorkOrder(arguments: order.arguments) == order)
    }

    @Test func `JSON files have the size that is asked for`() throws {
        let data = try Record.json(bytes: 1024)
        #expect(data.count == 1024)
        #expect(try JSONDecoder().decode([Record].self, from: data).last?.id == 6)
    }
}
