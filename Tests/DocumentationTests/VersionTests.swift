import Ferry
import Foundation
import Testing

/// Checks that every text with the version of the package has the same version.
@Suite("The version") struct VersionTests {
    /// A text with the version, and the text around it.
    private static let places = [
        ("README.md", #"from: "VERSION""#),
        ("Sources/FerryFormats/HTTP/HTTPHeaders+Defaults.swift", #"let ferryVersion = "VERSION""#),
        ("Sources/FerryCommand/Command.swift", #"let ferry = "VERSION""#),
        ("Docs/ferry.1", #""ferry VERSION""#),
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SnippetTests.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the newest version in the changelog: that of its first dated section, or the version of the first
    /// release.
    private static func version() throws -> String {
        let changelog = try text("CHANGELOG.md")
        let release = #/^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$/#.anchorsMatchLineEndings()
        if let match = changelog.firstMatch(of: release) { return String(match.1) }
        let announcement = try #require(changelog.firstMatch(of: /the first release, (\d+\.\d+\.\d+)/))
        return String(announcement.1)
    }

    @Test("The manifest of README, the library, the command and its manual have the version of the changelog")
    func places() throws {
        let version = try Self.version()
        for (path, pattern) in Self.places {
            let expected = pattern.replacingOccurrences(of: "VERSION", with: version)
            #expect(try Self.text(path).contains(expected), "\(path) does not contain \(expected)")
        }
        #expect(HTTPHeaders.default["User-Agent"]?.hasSuffix("Ferry/\(version)") == true)
    }

    @Test("Releasing.md lists all files with the version")
    func releasing() throws {
        let version = try Self.version()
        let steps = try Self.text("Docs/Releasing.md").components(separatedBy: "**Set the version.**")
        let step = try #require(steps.last?.components(separatedBy: "\n3. ").first)
        let paths = step.matches(of: /`([^`\s]+\.\w+)`/).map { String($0.1) }
        #expect(paths.count >= Self.places.count)
        for (path, _) in Self.places { #expect(paths.contains(path), "\(path)") }
        for path in paths { #expect(try Self.text(path).contains(version), "\(path)") }
    }

    @Test("The changelog begins with Unreleased, and its releases are in order")
    func changelog() throws {
        let headings = try Self.text("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        #expect(headings.first == "## Unreleased")
        let releases = headings.dropFirst().map { $0.dropFirst(3).prefix { $0 != " " } }
        let numbers = releases.map { $0.split(separator: ".").compactMap { Int($0) } }
        #expect(numbers.allSatisfy { $0.count == 3 })
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.lexicographicallyPrecedes($0) })
    }
}
