import Foundation

/// Functions that damage samples as an attacker would.
package enum Mutations {
    /// Values that parsers often handle incorrectly.
    private static let hostile = [
        "-1", "0", "1e308", "-1e-400", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "null",
        "\"\"", "{}", "[[[[[[[[", "\"\\u0000\"", "\"\\r\\nX: 1\"", "\"http://[::1\"", "\"../../x\"", "true",
        "\"\\ud800\"",
    ]

    /// The number of repetitions of fuzz tests; `FERRY_FUZZ=50000` requests a long run.
    package static var count: Int { ProcessInfo.processInfo.environment["FERRY_FUZZ"].flatMap { Int($0) } ?? 3000 }

    /// Replaces a value in a JSON text with a hostile one.
    package static func replaceValue(_ json: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let starts = json.indices.filter { json[$0] == UInt8(ascii: ":") && $0 + 1 < json.count }
        guard let colon = starts.randomElement(using: &random) else { return json }
        let rest = json[(colon + 1)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? json.endIndex
        var bytes = json
        bytes.replaceSubrange(colon + 1..<end, with: Array((hostile.randomElement(using: &random) ?? "").utf8))
        return bytes
    }
}
