import BenchmarkSupport
import Foundation

/// The machine and the software of the measurements.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let kernel: String
    let swift: String
    let libcurl: String
    let nginx: String
    /// The load averages before the run, see `load`.
    let loadBefore: String
    let loadAfter: String

    init(loadBefore: String) {
        let unknown = "unknown"
        processor = Self.firstLine(of: ["sh", "-c", "sed -n 's/^model name.*: //p' /proc/cpuinfo"]) ?? unknown
        cores = ProcessInfo.processInfo.activeProcessorCount
        kernel = Self.firstLine(of: ["uname", "-sr"]) ?? unknown
        swift = Self.firstLine(of: ["swift", "--version"]) ?? unknown
        libcurl = Self.firstLine(of: ["curl", "--version"]).map { String($0.prefix { $0 != "(" }) } ?? unknown
        nginx = NginxServer.version ?? unknown
        self.loadBefore = loadBefore
        loadAfter = Self.load
    }

    /// The versions of the libraries whose allocations and instructions are counted with Ferry's.
    static var libraryVersions: [String: String] {
        func version(_ command: String, after word: String) -> String {
            let words = firstLine(of: [command, "--version"])?.split(separator: " ").map(String.init) ?? []
            guard let index = words.firstIndex(of: word), index + 1 < words.count else { return "unknown" }
            return words[index + 1]
        }
        return ["libcurl": version("curl", after: "curl"), "Swift": version("swift", after: "version")]
    }

    /// The load averages of the last 1, 5 and 15 minutes.
    static var load: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown"
    }

    /// Returns the first line a command prints; nil if it cannot be run.
    static func firstLine(of command: [String]) -> String? {
        guard let folder = try? WorkFolder() else { return nil }
        defer { folder.remove() }
        let text = try? Command.run(command, in: folder.url, seconds: 20)
        return text?.split(separator: "\n").first.map(String.init)
    }
}
