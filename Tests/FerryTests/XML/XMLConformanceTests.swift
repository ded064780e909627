import FerryXML
import Foundation
import TestSupport
import Testing

/// The texts of https://www.w3.org/XML/Test/ that are about XML 1.0, fifth edition.
@Suite("W3C's XML conformance tests", .publicSuite(.xmlConformance), .timeLimit(.minutes(5)))
struct XMLConformanceTests {
    private struct Case {
        var id: String
        /// Whether the text is well-formed.
        var isWellFormed: Bool
        /// Whether the result depends on other files, which are not read.
        var hasOtherFiles: Bool
        var file: URL
    }

    private static let catalogs = [
        "xmltest/xmltest.xml", "japanese/japanese.xml", "sun/sun-valid.xml", "sun/sun-invalid.xml",
        "sun/sun-not-wf.xml", "oasis/oasis.xml", "ibm/ibm_oasis_invalid.xml", "ibm/ibm_oasis_not-wf.xml",
        "ibm/ibm_oasis_valid.xml", "eduni/errata-2e/errata2e.xml", "eduni/errata-3e/errata3e.xml",
        "eduni/errata-4e/errata4e.xml", "eduni/xml-1.1/xml11.xml", "eduni/misc/ht-bh.xml",
    ]

    /// Texts whose declaration contradicts their byte order mark, which takes precedence (RFC 7303, section 3.3).
    private static let contradictory: Set<String> = ["hst-lhs-007", "hst-lhs-008"]

    /// Why texts that are well-formed are refused: their document types declare more than entities of plain text.
    private static let limits: Set<String> = [
        "A declaration that is not allowed in a document type", "Entities other than plain text are not allowed",
        "External entities are not allowed", "Parameter entities are not allowed",
    ]

    private func cases() throws -> [Case] {
        let folder = try #require(PublicSuite.xmlConformance.folder)
        return try Self.catalogs.flatMap { name in
            let catalog = folder.appendingPathComponent(name)
            // Several catalogs are parts of a document, without a root element.
            let text = try String(contentsOf: catalog, encoding: .isoLatin1)
            return text.matches(of: /<TEST\s([^>]*)>/).compactMap { makeCase($0.1, in: catalog) }
        }
    }

    private func makeCase(_ attributes: Substring, in catalog: URL) -> Case? {
        let pairs = attributes.matches(of: /(\w+)\s*=\s*["']([^"']*)["']/).map { (String($0.1), String($0.2)) }
        let attributes = Dictionary(pairs) { first, _ in first }
        guard let id = attributes["ID"], let type = attributes["TYPE"], let path = attributes["URI"],
            type != "error", attributes["VERSION"] != "1.1", attributes["EDITION"]?.contains("5") != false,
            attributes["RECOMMENDATION"]?.hasPrefix("XML1.0") != false
        else { return nil }
        return Case(
            id: id,
            isWellFormed: type != "not-wf",
            hasOtherFiles: attributes["ENTITIES"] ?? "none" != "none",
            file: catalog.deletingLastPathComponent().appendingPathComponent(path)
        )
    }

    @Test("Texts that are not well-formed are refused, and others only because of their document type")
    func verdicts() throws {
        var (accepted, refused, wrong): (Int, Int, Set<String>) = (0, 0, [])
        for test in try cases() {
            let body = try Data(contentsOf: test.file)
            do throws(XMLParsingError) {
                let content = try XMLContent(body)
                accepted += test.isWellFormed ? 1 : 0
                if !test.isWellFormed, !test.hasOtherFiles { wrong.insert(test.id) }
                #expect(content.makeParser().parse(), "\(test.id)")
            } catch {
                refused += test.isWellFormed ? 0 : 1
                if test.isWellFormed { #expect(Self.limits.contains(error.reason), "\(test.id)") }
            }
        }
        print("xmlconf: \(refused) malformed texts refused but \(wrong.count), \(accepted) others accepted")
        #expect(refused > 900)
        #expect(wrong == Self.contradictory)
    }
}
