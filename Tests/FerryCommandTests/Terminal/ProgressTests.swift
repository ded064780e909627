import Testing

@testable import FerryCommand

@Suite("Progress")
struct ProgressTests {
    private let line = ProgressLine(name: "x.bin", completed: 2_500_000, total: 10_000_000, rate: 2_500_000)

    @Test("A line shows sizes, rate and remaining time")
    func text() {
        #expect(line.text == "x.bin: 2.5 MB of 10.0 MB (25 %), 2.5 MB/s, 0:03 left")
        #expect(ProgressLine(name: "x", completed: 5).text == "x: 5 B")
        #expect(
            ProgressLine(name: "x", completed: 5, total: 5, rate: 1, isUpload: true).text
                == "x: sent 5 B of 5 B (100 %), 1 B/s"
        )
    }

    @Test("A bar is filled in proportion, and its columns stay in place", arguments: [80, 100, 200])
    func bar(_ width: Int) throws {
        let text = line.bar(width: width, style: TextStyle())
        #expect(text.count == width - 1)
        let done = text.filter { $0 == "=" }.count
        let room = done + text.filter { $0 == "-" }.count
        #expect(done == room / 4)
        let early = ProgressLine(name: "x.bin", completed: 0, total: 10_000_000).bar(width: width, style: TextStyle())
        #expect(early.count == text.count)
        #expect(early.firstIndex(of: "%") == text.firstIndex(of: "%"))
    }

    @Test("A bar fits any width, even zero", arguments: [0, 1, 2, 10, 40, 60])
    func narrow(_ width: Int) {
        #expect(line.bar(width: width, style: TextStyle()).count <= max(0, width - 1))
        var wide = line
        wide.name = String(repeating: "語", count: 40)
        #expect(TextStyle.columns(wide.bar(width: width, style: TextStyle())) <= max(0, width - 1))
    }

    @Test(
        "Wide characters of a name count as two columns",
        arguments: ["日本語.bin", "日本語日本語日本語日本語日本語", "🎉.bin", "é.bin"]
    )
    func wide(_ name: String) {
        var wide = line
        wide.name = name
        #expect(TextStyle.columns(wide.bar(width: 80, style: TextStyle())) == 79)
    }

    @Test("A fraction is never above 1, and is nil without a total")
    func fractions() {
        #expect(ProgressLine(name: "x", completed: 7, total: 5).fraction == 1)
        #expect(ProgressLine(name: "x", completed: 0, total: 0).fraction == nil)
        #expect(ProgressLine(name: "x", completed: 7).fraction == nil)
    }

    @Test("Several transfers are shown as their sum")
    func sums() throws {
        let sum = try #require(ProgressBoard.summary([line, line]))
        #expect(sum == ProgressLine(name: "2 transfers", completed: 5_000_000, total: 20_000_000, rate: 5_000_000))
        let unknown = try #require(ProgressBoard.summary([line, ProgressLine(name: "y", completed: 1)]))
        #expect(unknown.total == nil)
        #expect(ProgressBoard.summary([]) == nil)
    }

    @Test("Totals that would overflow are clamped to the largest number")
    func largestSums() throws {
        let huge = ProgressLine(name: "x", completed: 1, total: .max, rate: 1)
        let sum = try #require(ProgressBoard.summary([huge, huge, line]))
        #expect(sum.total == .max)
        #expect(!sum.text.isEmpty)
        #expect(Int64.max.addingClamped(1) == .max && Int64.min.addingClamped(-1) == .min)
        #expect(Int64(2).addingClamped(3) == 5)
    }

    @Test("The rate is that of the last seconds, and ignores bytes from before the start")
    func rates() throws {
        var meter = RateMeter(at: 0, count: 1_000_000)
        #expect(meter.rate(at: 0.05) == nil)
        for step in 1...20 { meter.add(1_000_000 + Int64(step) * 1000, at: Double(step)) }
        #expect(try #require(meter.rate(at: 20)) == 1000)
        for step in 1...10 { meter.add(1_020_000 + Int64(step) * 5000, at: 20 + Double(step)) }
        #expect(try #require(meter.rate(at: 30)) == 5000)
        #expect(try #require(meter.rate(at: 40)) < 1500)
    }
}
