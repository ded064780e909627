import Ferry

/// The result of a step: whether it passed, and what was observed.
struct DemoFinding: Sendable {
    var holds: Bool
    var text: String
}

/// A finished step, with its duration.
struct DemoOutcome: Equatable, Sendable {
    var title: String
    var finding: String
    var seconds: Double
    var holds: Bool

    static func of(_ title: String, _ step: @Sendable () async throws -> DemoFinding) async -> DemoOutcome {
        let start = DispatchTime.now().uptimeNanoseconds
        let finding: DemoFinding
        do {
            finding = try await step()
        } catch {
            finding = DemoFinding(holds: false, text: error.localizedDescription)
        }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        return DemoOutcome(title: title, finding: finding.text, seconds: seconds, holds: finding.holds)
    }
}

/// The table of steps at the end of the demonstration.
enum DemoTable {
    static func text(_ outcomes: [DemoOutcome], style: TextStyle) -> String {
        let titleWidth = outcomes.map(\.title.count).max() ?? 0
        let findingWidth = outcomes.map(\.finding.count).max() ?? 0
        return outcomes.map { outcome in
            let time = String(format: "%5.2f s", outcome.seconds)
            let verdict = outcome.holds ? style.green("passed") : style.red("failed")
            return padded(outcome.title, titleWidth) + "  " + padded(outcome.finding, findingWidth)
                + "  \(time)  \(verdict)"
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
