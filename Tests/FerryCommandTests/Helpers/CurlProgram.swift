import FerryTesting
import Foundation
import Testing

/// The command `curl`, with which the tests compare this command.
enum CurlProgram {
    static let path: String? = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether the tests run: without curl they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all programs.
    static let isWanted = path != nil || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"
}

/// A command line that both commands run; `{}` in an argument is the root of the server, without its slash.
struct ComparedLine: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var input: String?
    /// The names of fields that are compared although the commands' default values differ.
    var comparedFields: Set<String> = []

    init(_ arguments: String..., input: String? = nil, comparing fields: Set<String> = []) {
        self.arguments = arguments
        self.input = input
        comparedFields = fields
    }

    var testDescription: String { arguments.joined(separator: " ") }
}

/// The requests that a server has received from a command, and the output of the command.
struct ComparedRun: Equatable {
    struct Request: Equatable {
        var method: String
        var target: String
        var fields: [String]
        var body: Data
        var parts: [String]?
    }

    var requests: [Request]
    var output: String
    /// The contents of the files by name; names in a subfolder begin with its name and a slash.
    var files: [String: String]

    /// The fields whose defaults differ on purpose.
    ///
    /// Each command names itself in `User-Agent`. By default, curl accepts no coding, while ferry accepts codings and
    /// decodes them. The field `Expect` depends on the size of the body.
    private static let ownFields: Set<String> = ["user-agent", "accept-encoding", "expect", "connection"]

    init(
        _ requests: [LoopbackRequest],
        _ outcome: FerryProcess.Outcome,
        in folder: TemporaryFolder,
        _ line: ComparedLine
    ) {
        self.requests = requests.map { request in
            let parts = request.multipartParts
            var ignored = Self.ownFields.subtracting(line.comparedFields)
            // The boundary of a form is random, so its parts are compared.
            if parts != nil { ignored.formUnion(["content-type", "content-length"]) }
            return Request(
                method: request.method,
                target: request.target,
                fields: request.headers.map { "\($0.name.lowercased()): \($0.value)" }
                    .filter { field in !ignored.contains { field.hasPrefix($0 + ":") } }.sorted(),
                body: parts == nil ? request.body : Data(),
                parts: parts?.map {
                    "\($0.name ?? "") \($0.filename ?? "-") \($0.headers["Content-Type"] ?? "-"): "
                        + ($0.text ?? "")
                }
            )
        }
        output = Self.text(outcome.output)
        files = [:]
        for name in FileManager.default.enumerator(atPath: folder.url.path)?.compactMap({ $0 as? String }) ?? [] {
            if let data = folder.data(name) { files[name] = Self.text(data) }
        }
    }

    /// Returns bytes as text, without the comments of cookie files, which name the program that wrote them.
    private static func text(_ data: Data) -> String {
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasPrefix("# Netscape") else { return text }
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") || $0.hasPrefix("#HttpOnly_") }
        return lines.sorted().joined(separator: "\n")
    }
}
