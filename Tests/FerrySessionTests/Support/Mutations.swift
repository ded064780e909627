import FerrySession

/// Functions that damage samples as an attacker would.
enum Mutations {
    /// Values that parsers often handle incorrectly.
    private static let hostile = [
        "-1", "0", "1e308", "-1e-400", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "null",
        "\"\"", "{}", "[[[[[[[[", "\"\\u0000\"", "\"\\r\\nX: 1\"", "\"http://[::1\"", "\"../../x\"", "true",
        "\"\\ud800\"",
    ]

    /// The number of repetitions of fuzz tests; `FERRY_FUZZ=50000` requests a long run.
    static var count: Int { ProcessInfo.processInfo.environment["FERRY_FUZZ"].flatMap { Int($0) } ?? 3000 }

    /// Changes, removes, repeats or truncates a few bytes.
    static func damage(_ sample: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = sample
        for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(place + Int.random(in: 1..<9, using: &random), bytes.count)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.removeSubrange(place..<end)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    /// Replaces a value in a JSON text with a hostile one.
    static func replaceValue(_ json: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let starts = json.indices.filter { json[$0] == UInt8(ascii: ":") && $0 + 1 < json.count }
        guard let colon = starts.randomElement(using: &random) else { return json }
        let rest = json[(colon + 1)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? json.endIndex
        var bytes = json
        bytes.replaceSubrange(colon + 1..<end, with: Array((hostile.randomElement(using: &random) ?? "").utf8))
        return bytes
    }
}
