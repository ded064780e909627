import Foundation
import Testing

/// Checks the form of the cookbook: recipes of at most ten lines, each of which a test runs.
@Suite("The cookbook") struct CookbookArticleTests {
    private struct Recipe {
        var heading: String
        var code: [String] = []
    }

    private static func recipes() throws -> [Recipe] {
        let file = SnippetTests.root.appendingPathComponent("Sources/Ferry/Ferry.docc/Cookbook.md")
        var recipes: [Recipe] = []
        var isCode = false
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isCode.toggle()
            } else if isCode, !line.isEmpty {
                recipes[recipes.count - 1].code.append(line)
            } else if line.hasPrefix("## "), line != "## Overview" {
                recipes.append(Recipe(heading: String(line.dropFirst(3))))
            }
        }
        return recipes
    }

    @Test("There are twenty-two recipes, of at most ten lines of code each")
    func sizes() throws {
        let recipes = try Self.recipes()
        #expect(recipes.count == 22)
        for recipe in recipes { #expect((1...10).contains(recipe.code.count), "\(recipe.heading)") }
    }

    @Test("Each recipe is a test, or is run by a test with the name of its heading")
    func areRun() throws {
        let folder = SnippetTests.root.appendingPathComponent("Tests/DocumentationTests")
        let tests = try ["CookbookTests.swift", "CookbookRouteTests.swift"].map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
        for recipe in try Self.recipes() where recipe.code.first?.hasPrefix("@Test func ") != true {
            #expect(tests.contains { $0.contains("@Test(\"\(recipe.heading)\"") }, "\(recipe.heading)")
        }
    }
}
