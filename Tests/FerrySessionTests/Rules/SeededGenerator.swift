/// A random number generator with the same numbers in every run (SplitMix64), so that the failure of a fuzz test can be
/// reproduced.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns bytes, most of them from `alphabet`, so that parsers get past their first check.
    mutating func bytes(upTo count: Int, from alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        let length = Int.random(in: 0...count, using: &self)
        return (0..<length).map { _ in
            let isWild = Int.random(in: 0..<8, using: &self) == 0
            return isWild ? UInt8.random(in: 0...255, using: &self) : letters.randomElement(using: &self) ?? 0
        }
    }

    /// Returns such bytes as text, with replacement characters for invalid UTF-8.
    mutating func text(upTo count: Int, from alphabet: String) -> String {
        String(decoding: bytes(upTo: count, from: alphabet), as: UTF8.self)
    }
}
