import Foundation
import Testing

/// Checks the settings for the Swift Package Index, which builds the documentation of each target by itself.
@Suite("The settings for the Swift Package Index") struct PackageIndexTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SnippetTests.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("The documented targets are the libraries of the package")
    func targets() throws {
        let settings = try Self.text(".spi.yml")
        let list = try #require(settings.firstMatch(of: /documentation_targets: \[([^\]]+)\]/)).1
        let documented = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let libraries = try Self.text("Package.swift").matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(documented.first == "Ferry")
        #expect(documented.sorted() == libraries.sorted())
    }

    @Test("The articles are in the folder of the first target, where the index looks for them")
    func catalogue() throws {
        let folder = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("Ferry.md") && names.contains("GettingStarted.md"))
    }
}
