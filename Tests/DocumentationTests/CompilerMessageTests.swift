import Foundation
import Testing

/// Checks that this compiler's messages equal those in the article for beginners.
///
/// A line of a block that begins with `error: ` is a message; the other lines are the code.
@Suite("Messages of the compiler") struct CompilerMessageTests {
    private struct Example {
        var code: [String] = []
        var messages: Set<String> = []
    }

    /// The folder with the test bundle, the modules, and the module map of the C target.
    private static let products = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        .map { URL(fileURLWithPath: $0).deletingLastPathComponent() }

    private static let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    private static var isPossible: Bool {
        #if compiler(>=6.3) && compiler(<6.4)
        guard compiler != nil, let products else { return false }
        return FileManager.default.fileExists(atPath: products.appendingPathComponent("Modules").path)
        #else
        return false
        #endif
    }

    private static func examples() throws -> [Example] {
        let file = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc/GettingStarted.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        let section = article.components(separatedBy: "## When the compiler complains\n").dropFirst().joined()
        let blocks = section.components(separatedBy: "```\n").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return blocks.map { block in
            block.split(separator: "\n").reduce(into: Example()) { example, line in
                if line.hasPrefix("error: ") {
                    example.messages.insert(String(line.dropFirst(7)))
                } else {
                    example.code.append(String(line))
                }
            }
        }
    }

    @Test(
        "Each wrong line in the article has the messages below it, and no others",
        .enabled(if: isPossible, "needs the compiler 6.3, and its modules next to the tests")
    )
    func messages() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 5)
        var source = """
            import Ferry
            struct User: Codable, Sendable { var id: Int; var name: String }
            struct Draft: Sendable { var name: String }
            struct Profile: Sendable { var name: String }

            """
        var ranges: [Range<Int>] = []
        for (index, example) in examples.enumerated() {
            #expect(!example.messages.isEmpty, "\(example.code)")
            source += "func example\(index)(manager: HTTPSessionManager) async throws {\n"
            let first = source.count { $0 == "\n" } + 1
            source += example.code.joined(separator: "\n") + "\n}\n"
            ranges.append(first..<first + example.code.count)
        }

        let errors = try Self.errors(of: source)
        for (range, example) in zip(ranges, examples) {
            let found = errors.filter { range.contains($0.line) }.map(\.message)
            #expect(Set(found) == example.messages, "\(example.code)")
        }
        #expect(errors.allSatisfy { error in ranges.contains { $0.contains(error.line) } })
    }

    @Test(
        "The first program of the README, and the first lines of the guide, compile as they are",
        .enabled(if: isPossible, "needs the compiler 6.3, and its modules next to the tests"),
        arguments: ["README.md", "Sources/Ferry/Ferry.docc/GettingStarted.md"]
    )
    func programs(_ name: String) throws {
        let text = try String(contentsOf: SnippetTests.root.appendingPathComponent(name), encoding: .utf8)
        let program = try #require(text.firstMatch(of: /```swift\n(import Ferry\n(?s:.*?))```/)?.1)
        #expect(try Self.errors(of: String(program)).map(\.message) == [])
        // The check itself finds errors.
        #expect(try !Self.errors(of: String(program.replacing("HTTPSessionManager", with: "Nothing"))).isEmpty)
    }

    /// Returns the errors that the compiler reports, with their lines and without the names of their groups.
    private static func errors(of source: String) throws -> [(line: Int, message: String)] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("examples.swift")
        try Data(source.utf8).write(to: file)

        let compiler = try #require(compiler)
        let products = try #require(products)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: compiler)
        process.arguments = [
            "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm",
            "-module-cache-path", folder.path, "-I", products.appendingPathComponent("Modules").path,
            "-I", SnippetTests.root.appendingPathComponent("Sources/CFerry/include").path,
            "-Xcc", "-fmodule-map-file=\(products.appendingPathComponent("CFerry.build/module.modulemap").path)",
            file.path,
        ]
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.matches(of: /examples\.swift:([0-9]+):[0-9]+: error: ([^\n]+)/)
        return lines.compactMap { match in
            Int(match.1).map { ($0, String(match.2.replacing(/\ \[#\w+\]$/, with: ""))) }
        }
    }
}
