/// A random number generator that repeats the same sequence in every run, for tests that damage data.
struct RandomBytes: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Changes, removes, inserts or overwrites a few bytes.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
            case 4: bytes.replaceSubrange(place..<min(place + 8, bytes.count), with: [0xFF, 0, 0xFF, 0x7F])
            default: bytes.removeSubrange(place..<min(place + Int.random(in: 1..<9, using: &self), bytes.count))
            }
        }
        return bytes
    }
}
