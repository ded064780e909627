import Foundation
import Testing

/// Checks the settings for the Swift Package Index, which builds the documentation of each target by itself.
@Suite("The settings for the Swift Package Index") struct PackageIndexTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SnippetTests.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("The documented targets are the libraries of the package, and the internal modules that they re-export")
    func targets() throws {
        let settings = try Self.text(".spi.yml")
        let list = try #require(settings.firstMatch(of: /documentation_targets: \[([^\]]+)\]/)).1
        let documented = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let libraries = try Self.text("Package.swift").matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        let exports = try ["Ferry", "FerrySession"].flatMap { module in
            try Self.text("Sources/\(module)/Exports.swift").matches(of: /@_exported import (Ferry\w+)/).map {
                String($0.1)
            }
        }
        #expect(exports.contains("FerryFormats") && exports.contains("FerryCore"))
        #expect(documented.first == "Ferry")
        #expect(documented.sorted() == Set(libraries + exports).sorted())
    }

    @Test("The articles about managers are in the folder of the first target, where the index looks for them")
    func catalogue() throws {
        let folder = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("Ferry.md") && names.contains("GettingStarted.md"))
    }

    @Test(
        "Each documented target has a first page",
        arguments: [
            "Ferry", "FerryAPI", "FerryAssets", "FerryOperations", "FerrySession", "FerryStreams", "FerryTesting",
            "FerryTransfers",
            "FerryWebSockets",
            "FerryXML",
        ]
    )
    func firstPage(_ module: String) throws {
        #expect(try Self.text("Sources/\(module)/\(module).docc/\(module).md").hasPrefix("# ``\(module)``\n"))
    }

    /// Returns the dependencies of a page that belong in the manifest of a program, without those by path.
    private static func manifestLines(_ page: String) throws -> [String] {
        try text(page).matches(of: /\.(?:package\(url:|product\()[^()]*\)/).map { String($0.0) }
    }

    @Test("The first page and README have the same lines for the manifest")
    func installation() throws {
        let lines = try Self.manifestLines("README.md")
        #expect(lines.count == 2)
        #expect(try Self.manifestLines("Sources/Ferry/Ferry.docc/Ferry.md") == lines)
    }

    @Test(
        "The first page of another product has README's lines for the manifest, with its own name",
        arguments: ["FerryAPI", "FerryAssets", "FerryOperations", "FerryStreams", "FerryTransfers", "FerryWebSockets"]
    )
    func installation(of product: String) throws {
        let lines = try Self.manifestLines("README.md").map {
            $0.replacing(#"name: "Ferry""#, with: "name: \"\(product)\"")
        }
        #expect(lines.contains { $0.contains(product) })
        #expect(try Self.manifestLines("Sources/\(product)/\(product).docc/\(product).md") == lines)
    }

    @Test("The first page has no table, and leads to the articles with the features and the measurements")
    func tables() throws {
        let page = try Self.text("Sources/Ferry/Ferry.docc/Ferry.md")
        #expect(!page.contains("\n|"))
        for article in ["WhatWorksWhere", "Performance"] {
            #expect(page.contains("<doc:\(article)>"))
            #expect(try Self.text("Sources/Ferry/Ferry.docc/\(article).md").contains("\n| --- |"))
        }
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
