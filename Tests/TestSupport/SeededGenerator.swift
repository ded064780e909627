import Foundation

/// A random number generator with the same numbers for the same seed (SplitMix64), so that a failure can be reproduced.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    /// Returns the seed for a test of races, from the environment variable `FERRY_TEST_SEED` or random; the test's
    /// expectations must state it.
    package static func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["FERRY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns bytes, most of them from `alphabet`, so that parsers get past their first check.
    package mutating func bytes(upTo count: Int, from alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        let length = Int.random(in: 0...count, using: &self)
        return (0..<length).map { _ in
            let isWild = Int.random(in: 0..<8, using: &self) == 0
            return isWild ? UInt8.random(in: 0...255, using: &self) : letters.randomElement(using: &self) ?? 0
        }
    }

    /// Returns such bytes as text, with replacement characters for invalid UTF-8.
    package mutating func text(upTo count: Int, from alphabet: String) -> String {
        String(decoding: bytes(upTo: count, from: alphabet), as: UTF8.self)
    }

    /// Changes, repeats, inserts, overwrites or removes a few bytes, or truncates all, as an attacker would.
    package mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(place + Int.random(in: 1..<9, using: &self), bytes.count)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
            case 4: bytes.replaceSubrange(place..<end, with: [0xFF, 0, 0xFF, 0x7F])
            case 5: bytes.removeSubrange(place..<end)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
