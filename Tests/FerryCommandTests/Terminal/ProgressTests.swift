import FerryTransfers
import Testing

@testable import FerryCommand

@Suite("Progress")
struct ProgressTests {
    private let line = ProgressLine(
        name: "x.bin",
        progress: .init(completedByteCount: 2_500_000, totalByteCount: 10_000_000, rate: 2_500_000)
    )

    private func line(_ name: String, _ completed: Int64, _ total: Int64? = nil, rate: Double = 0) -> ProgressLine {
        let progress = TransferProgress(completedByteCount: completed, totalByteCount: total, rate: rate)
        return ProgressLine(name: name, progress: progress)
    }

    @Test("A line shows sizes, rate and remaining time")
    func text() {
        #expect(line.text == "x.bin: 2.5 MB of 10.0 MB (25 %), 2.5 MB/s, 0:03 left")
        #expect(line("x", 5).text == "x: 5 B, 0 B/s")
        var upload = line("x", 5, 5, rate: 1)
        upload.isUpload = true
        #expect(upload.text == "x: sent 5 B of 5 B (100 %), 1 B/s")
        #expect(line("x", 7, 5).text == "x: 7 B of 5 B (100 %), 0 B/s")
        #expect(line("x", 0, 0).text == "x: 0 B of 0 B (100 %), 0 B/s")
    }

    @Test("A bar is filled in proportion, and its columns stay in place", arguments: [80, 100, 200])
    func bar(_ width: Int) throws {
        let text = line.bar(width: width, style: TextStyle())
        #expect(text.count == width - 1)
        let done = text.filter { $0 == "=" }.count
        let room = done + text.filter { $0 == "-" }.count
        #expect(done == room / 4)
        let early = line("x.bin", 0, 10_000_000).bar(width: width, style: TextStyle())
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

    @Test("Several transfers are shown as their sum")
    func sums() throws {
        let sum = try #require(ProgressBoard.summary([line, line]))
        #expect(sum == line("2 transfers", 5_000_000, 20_000_000, rate: 5_000_000))
        let unknown = try #require(ProgressBoard.summary([line, line("y", 1)]))
        #expect(unknown.progress.totalByteCount == nil)
        #expect(ProgressBoard.summary([]) == nil)
    }

    @Test("Totals that would overflow are clamped to the largest number")
    func largestSums() throws {
        let huge = line("x", 1, .max, rate: 1)
        let sum = try #require(ProgressBoard.summary([huge, huge, line]))
        #expect(sum.progress.totalByteCount == .max)
        #expect(!sum.text.isEmpty)
    }
}
