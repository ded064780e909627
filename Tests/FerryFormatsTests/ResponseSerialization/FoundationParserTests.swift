import Foundation
import FoundationXML
import TestSupport
import Testing

/// The behavior of Foundation's parsers with malformed input.
///
/// That is why Ferry checks an XML text before Foundation parses it, and reads binary property lists itself. A failure
/// here means that Foundation has improved, and that Ferry may need less.
@Suite("Foundation's parsers", .ownThreads, .timeLimit(.minutes(5)))
struct FoundationParserTests {
    /// Ends the process without the backtrace that `swift test` asks for, which takes long.
    private static func disableBacktraces() {
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] { signal(number, SIG_DFL) }
    }

    @Test("XMLParser ends the process on a processing instruction without data")
    func instruction() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            Self.disableBacktraces()
            let parser = XMLParser(data: Data("<?x?><a/>".utf8))
            let delegate = Delegate()
            parser.delegate = delegate
            _ = parser.parse()
        }
    }

    @Test("XMLParser ends the process on a comment that is not UTF-8")
    func comment() async {
        await #expect(processExitsWith: .signal(SIGILL)) {
            Self.disableBacktraces()
            let parser = XMLParser(data: Data("<a><!--".utf8) + Data([0xFF]) + Data("--></a>".utf8))
            let delegate = Delegate()
            parser.delegate = delegate
            _ = parser.parse()
        }
    }

    @Test("XMLParser reports success for a truncated text")
    func truncated() {
        let parser = XMLParser(data: Data("<a><b>".utf8))
        #expect(parser.parse())
    }

    @Test("XMLDocument ends the process on an empty text")
    func emptyDocument() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            Self.disableBacktraces()
            _ = try XMLDocument(data: Data())
        }
    }

    @Test("XMLDocument repairs a malformed text without an error")
    func repairs() throws {
        let document = try XMLDocument(data: Data("<a><b></a>".utf8))
        #expect(document.xmlString.contains("<a><b></b></a>"))
    }

    @Test("PropertyListSerialization ends the process on a damaged binary property list")
    func propertyList() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            Self.disableBacktraces()
            let damaged = """
                62706c6973743030d20102030651625161d10405516309a50708090a0bd001100251783341c859e9f9cb67f5c3010203080d0f11
                1416171d1f21232c0000000000000101000000000000000c00000000000000000000000000000030
                """
            let digits = damaged.filter { !$0.isWhitespace }
            var bytes: [UInt8] = []
            var index = digits.startIndex
            while let end = digits.index(index, offsetBy: 2, limitedBy: digits.endIndex), index < end {
                if let byte = UInt8(digits[index..<end], radix: 16) { bytes.append(byte) }
                index = end
            }
            _ = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        }
    }

    private final class Delegate: NSObject, XMLParserDelegate {
        func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {}

        func parser(_ parser: XMLParser, foundComment comment: String) {}
    }
}
