import Foundation
import TestSupport
import Testing

@testable import FerrySession

@Suite("Lines of a body")
struct LineSplitterTests {
    /// Splits pieces, and returns the complete lines after each piece, and the last line.
    private func split(_ pieces: [[UInt8]], limit: Int = 1_000) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            splitter.append(Data(piece))
            while let line = try splitter.next() { lines.append(line) }
        }
        if let last = splitter.last() { lines.append(last) }
        return lines
    }

    private static let rows: [(String, [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]), ("\r\n\r\n", ["", ""]), ("a\n\rb", ["a", "", "b"]), ("\r\r\n\n", ["", "", ""]),
        ("é\n漢\r\n😀", ["é", "漢", "😀"]), ("a\u{2028}b\u{85}c\u{0B}d", ["a\u{2028}b\u{85}c\u{0B}d"]),
    ]

    @Test("Lines end with a line feed, a carriage return, or both, wherever a piece ends", arguments: rows)
    func ends(_ text: String, _ lines: [String]) throws {
        let bytes = Array(text.utf8)
        #expect(try split([bytes]) == lines)
        #expect(try split(bytes.map { [$0] }) == lines)
        for index in 0...bytes.count {
            #expect(try split([Array(bytes[..<index]), [], Array(bytes[index...])]) == lines, "at \(index)")
        }
    }

    @Test("Random pieces make the same lines")
    func random() throws {
        let seed = SeededGenerator.seed()
        var generator = SeededGenerator(seed)
        for _ in 0..<200 {
            let bytes = (0..<300).map { _ in Array("ab\r\n".utf8).randomElement(using: &generator) ?? 0 }
            let whole = try split([bytes])
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...20, using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try split(pieces) == whole, "seed \(seed)")
        }
    }

    @Test("Bytes that are not UTF-8 are replaced")
    func damaged() throws {
        #expect(try split([[0x61, 0xFF, 0x0A, 0xC3]]) == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test("A line beyond the limit is an error, complete or not")
    func limit() throws {
        #expect(try split([Array("12345\n1234".utf8)], limit: 5) == ["12345", "1234"])
        for text in ["123456", "123456\n", "1\n123456"] {
            let error = try #require(throws: URLError.self) { try split([Array(text.utf8)], limit: 5) }
            #expect(error.code == .dataLengthExceedsMaximum)
            #expect(error.localizedDescription.contains("5 bytes"))
        }
    }

    @Test("A long line in small pieces takes linear time")
    func linear() throws {
        // Quadratic work on 2 MB would take minutes.
        var splitter = LineSplitter(limit: 10_000_000)
        for _ in 0..<20_000 {
            splitter.append(Data(count: 100))
            #expect(try splitter.next() == nil)
        }
        #expect(splitter.last()?.utf8.count == 2_000_000)
    }
}
