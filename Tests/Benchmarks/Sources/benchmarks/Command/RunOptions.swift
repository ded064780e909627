import BenchmarkSupport
import Foundation

/// The options of the command line.
struct RunOptions {
    static let help = """
        USAGE: benchmarks [options]

          --only W1,W2        only these workloads; W9 includes W9-thousand and W9-suspended
          --clients a,b       only these clients, such as ferry, ferry:delegate, urlsession, ahc, hyper, libcurl
          --rounds n          the number of rounds, whose medians are reported (3)
          --quick             one round with a tenth of everything: shows that it works, measures nothing
          --output folder     where benchmarks.md and benchmarks.json go (.build/benchmarks of this package)
          --articles a,b      writes the table of this run into these files, between the two marks of each
          --no-build          does not build the clients
          --check-costs file  counts only the heap allocations and instructions of Ferry's clients, and fails if a
                              number is over 3 % larger than the file says in all rounds, of which the second and later
                              ones count only what was too large; does nothing if the file is about other versions of
                              libcurl or Swift
          --record-costs file counts them in the same way, and writes the file
          --help              shows this text

        FERRY_BENCHMARKS_PEERS=0 leaves AsyncHTTPClient out, whose first build takes ten minutes, and hyper.
        """

    let showsHelp: Bool
    let isQuick: Bool
    let builds: Bool
    let rounds: Int
    let output: URL
    let costs: CostTask?
    let articles: [Article]
    private let only: [String]?
    private let clients: [String]?

    init(_ words: [String]) throws {
        let options = try Options(words, flags: ["quick", "no-build", "help"])
        let known: Set = [
            "only", "clients", "rounds", "quick", "output", "no-build", "help", "check-costs", "record-costs",
            "articles",
        ]
        if let unknown = options.names.first(where: { !known.contains($0) }) {
            throw BenchmarkError("There is no option --\(unknown); --help lists all")
        }
        showsHelp = options.has("help")
        isQuick = options.has("quick")
        builds = !options.has("no-build")
        rounds = try options.integer("rounds").map { max(1, $0) } ?? (isQuick ? 1 : 3)
        output = options["output"].map { URL(fileURLWithPath: $0) } ?? Package.root.appending(path: ".build/benchmarks")
        costs = CostTask(options)
        articles = (options.list("articles") ?? []).map { Article(file: URL(fileURLWithPath: $0)) }
        only = costs == nil ? options.list("only") : CostTask.workloads
        clients = costs == nil ? options.list("clients") : ["ferry"]
        let names = Workload.all(Sizes(isQuick: false)).map(\.id)
        if let unknown = only?.first(where: { name in !names.contains { Self.matches($0, name, separator: "-") } }) {
            throw BenchmarkError("There is no workload \(unknown) among \(names.joined(separator: ", "))")
        }
        if let unknown = clients?.first(where: { name in
            !Clients.all.contains { Self.matches($0, name, separator: ":") }
        }) {
            throw BenchmarkError("There is no client \(unknown) among \(Clients.all.joined(separator: ", "))")
        }
    }

    /// Returns the selected workloads, each with the selected clients.
    func workloads(_ sizes: Sizes) -> [Workload] {
        Workload.all(sizes).compactMap { workload in
            guard only?.contains(where: { Self.matches(workload.id, $0, separator: "-") }) ?? true else { return nil }
            var workload = workload
            workload.clients = workload.clients.filter { client in
                clients?.contains { Self.matches(client, $0, separator: ":") } ?? true
            }
            return workload.clients.isEmpty ? nil : workload
        }
    }

    private static func matches(_ name: String, _ pattern: String, separator: String) -> Bool {
        name == pattern || name.hasPrefix(pattern + separator)
    }
}
