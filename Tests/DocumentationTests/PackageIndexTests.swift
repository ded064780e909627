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

    @Test("The articles about managers are in the folder of the first target, where the index looks for them")
    func catalogue() throws {
        let folder = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("Ferry.md") && names.contains("GettingStarted.md"))
    }

    @Test(
        "Each documented target has a first page",
        arguments: ["Ferry", "FerryOperations", "FerrySession", "FerryTesting", "FerryXML"]
    )
    func firstPage(_ module: String) throws {
        #expect(try Self.text("Sources/\(module)/\(module).docc/\(module).md").hasPrefix("# ``\(module)``\n"))
    }

    /// Returns the lines of a page that belong in the manifest of a program.
    private static func manifestLines(_ page: String) throws -> [String] {
        try text(page).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix(".package(") || $0.hasPrefix(".product(") }
    }

    @Test("The first page and README have the same lines for the manifest")
    func installation() throws {
        let lines = try Self.manifestLines("README.md")
        #expect(lines.count == 2)
        #expect(try Self.manifestLines("Sources/Ferry/Ferry.docc/Ferry.md") == lines)
    }

    @Test("The first page of FerryOperations has README's lines for the manifest, with its own product")
    func installationOfOperations() throws {
        let lines = try Self.manifestLines("README.md").map {
            $0.replacing(#"name: "Ferry""#, with: #"name: "FerryOperations""#)
        }
        #expect(lines.contains { $0.contains("FerryOperations") })
        #expect(try Self.manifestLines("Sources/FerryOperations/FerryOperations.docc/FerryOperations.md") == lines)
    }

    @Test("The measurements of the first page are those of the article about performance")
    func measurements() throws {
        let article = try Self.text("Sources/Ferry/Ferry.docc/Performance.md").split(separator: "\n")
        let page = try Self.text("Sources/Ferry/Ferry.docc/Ferry.md").split(separator: "\n")
        let start = try #require(page.firstIndex { $0.hasPrefix("| wall / CPU") })
        let table = page[start...].prefix { $0.hasPrefix("|") }
        #expect(table.count > 4)
        for row in table { #expect(article.contains(row), "\(row)") }
    }

    @Test("Every picture of the articles exists, and every file of a picture is shown")
    func pictures() throws {
        let catalogue = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc")
        let files = try FileManager.default.contentsOfDirectory(
            atPath: catalogue.appendingPathComponent("Resources").path
        )
        let articles = Document.files(below: catalogue).filter { $0.pathExtension == "md" }
        let shown = try articles.flatMap { article in
            try String(contentsOf: article, encoding: .utf8).matches(of: /!\[[^\]]+\]\((\w+)\)/).map { String($0.1) }
        }
        #expect(shown.count >= 3)
        for name in shown { #expect(files.contains("\(name).svg"), "\(name)") }
        for file in files {
            let name = file.replacing(".svg", with: "").replacing("~dark", with: "")
            #expect(shown.contains(name), "\(file)")
        }
    }
}
