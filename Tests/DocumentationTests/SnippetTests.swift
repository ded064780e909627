import Foundation
import Testing

/// Checks that every Swift snippet of the README, of Docs and of the documentation catalogues is in a file under
/// `Snippets`, which is compiled.
///
/// Snippets that need another package are in the packages under `Docs/Integrations`: in a file of their tests whose
/// name ends with `Snippets`, or in a manifest. `.ci/run` builds and tests these packages.
@Suite struct SnippetTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every snippet is compiled", arguments: try Document.all(below: root))
    func isCompiled(_ document: Document) throws {
        let compiled = try Self.compiledSources()
        for snippet in document.snippets {
            #expect(
                compiled.contains { $0.contains(snippet) },
                """
                this snippet of \(document.name) is in no file under Tests/DocumentationTests/Snippets, nor in the \
                snippets of Docs/Integrations:
                \(snippet)
                """
            )
        }
    }

    @Test("The README has snippets, and so have many articles")
    func documentsHaveSnippets() throws {
        let readme = try Document(Self.root.appendingPathComponent("README.md"))
        #expect(!readme.snippets.isEmpty)
        let names = try Document.all(below: Self.root).filter { !$0.snippets.isEmpty }.map(\.name)
        #expect(names.count > 20 && names.contains("GettingStarted.md"))
    }

    /// The documents for contributors.
    private static let contributing = [
        "Docs/Contributing.md", "Docs/Releasing.md", "Docs/Scope.md", "Tests/README.md", "Tests/Fuzzing/README.md",
    ]

    @Test("Every path named in the contributors' documents exists", arguments: contributing)
    func pathsExist(_ name: String) throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
        let paths = text.matches(of: /`((?:Sources|Tests|Docs|\.ci)(?:\/[^`\s]+)?)`/).map { String($0.1) }
        #expect(!paths.isEmpty)
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(path).path), "\(path)")
        }
    }

    @Test("The article about the examples names each of them")
    func examplesAreNamed() throws {
        let docs = Self.root.appendingPathComponent("Docs")
        let article = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/Ferry/Ferry.docc/Examples.md"),
            encoding: .utf8
        )
        let files = try FileManager.default.contentsOfDirectory(atPath: docs.appendingPathComponent("Examples").path)
        #expect(files.count >= 5)
        for file in files { #expect(article.contains("`\(file)`"), "\(file)") }
    }

    @Test("The article about integrations names each of them, and has a snippet of its tests")
    func integrationsAreNamed() throws {
        let article = Self.root.appendingPathComponent("Sources/Ferry/Ferry.docc/Integrations.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let snippets = try Document(article).snippets
        let integrations = try Self.integrations()
        #expect(integrations.count >= 3)
        for folder in integrations {
            #expect(text.contains("`Docs/Integrations/\(folder.lastPathComponent)`"))
            let sources = try Self.snippetFiles(in: folder).map(Self.source)
            #expect(snippets.contains { snippet in sources.contains { $0.contains(snippet) } }, "\(folder.path)")
        }
    }

    private static func compiledSources() throws -> [String] {
        let folder = root.appendingPathComponent("Tests/DocumentationTests/Snippets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let integrations = try integrations().flatMap { folder in
            snippetFiles(in: folder) + [folder.appendingPathComponent("Package.swift")]
        }
        return try (files.filter { $0.pathExtension == "swift" } + integrations).map(source)
    }

    /// Returns the folders of the packages under `Docs/Integrations`.
    private static func integrations() throws -> [URL] {
        let folder = root.appendingPathComponent("Docs/Integrations")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("Package.swift").path)
        }
    }

    /// Returns the files with snippets among the tests of a package.
    private static func snippetFiles(in package: URL) -> [URL] {
        let tests = package.appendingPathComponent("Tests")
        return Document.files(below: tests).filter { $0.lastPathComponent.hasSuffix("Snippets.swift") }
    }

    private static func source(_ file: URL) throws -> String {
        Document.normalized(try String(contentsOf: file, encoding: .utf8))
    }
}

/// A Markdown file and its fenced Swift snippets.
struct Document: Sendable, CustomTestStringConvertible {
    let name: String
    let snippets: [String]

    var testDescription: String { name }

    init(_ file: URL) throws {
        name = file.lastPathComponent
        var snippets: [String] = []
        var current: [Substring]?
        for line in try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let lines = current {
                if text.hasPrefix("```") {
                    snippets.append(Self.normalized(lines.joined(separator: "\n")))
                    current = nil
                } else {
                    current?.append(line)
                }
            } else if text == "```swift" {
                current = []
            }
        }
        self.snippets = snippets.filter { !$0.isEmpty }
    }

    static func all(below root: URL) throws -> [Document] {
        let articles = ["Docs", "Sources"].flatMap { files(below: root.appendingPathComponent($0)) }
            .filter { $0.pathExtension == "md" }
        return try ([root.appendingPathComponent("README.md")] + articles).map(Document.init)
    }

    /// Returns all files below a folder but those of hidden folders, such as the build of a package.
    static func files(below folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(
            at: folder,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        return files?.allObjects as? [URL] ?? []
    }

    /// Returns a source without indentation, empty lines and imports, so that a snippet may be inside a function.
    static func normalized(_ source: String) -> String {
        source.split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
            .joined(separator: "\n")
    }
}
