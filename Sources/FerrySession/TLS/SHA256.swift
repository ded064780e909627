/// SHA-256 (FIPS 180-4): Foundation on Linux has none.
enum SHA256 {
    static func hash(_ data: Data) -> Data {
        var message = [UInt8](data)
        let bits = UInt64(message.count) &* 8
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        withUnsafeBytes(of: bits.bigEndian) { message.append(contentsOf: $0) }
        var state = initial
        var words = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: message.count, by: 64) {
            mix(message[start..<start + 64], into: &state, &words)
        }
        return Data(state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { [UInt8]($0) } })
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32], _ words: inout [UInt32]) {
        for index in 0..<16 {
            let start = block.startIndex + index * 4
            words[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turn(early, 7) ^ turn(early, 18) ^ early >> 3
            let second = turn(late, 17) ^ turn(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let first = h &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ choice &+ constants[index] &+ words[index]
            let second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The first 64 primes, from whose roots the constants are made.
    private static let primes: [UInt64] = {
        var found: [UInt64] = []
        var candidate: UInt64 = 2
        while found.count < 64 {
            if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }()

    /// The first 32 bits behind the point of the square roots of the first eight primes.
    private static let initial: [UInt32] = primes.prefix(8).map { fraction(ofRootOf: $0, power: 2) }

    /// The first 32 bits behind the point of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = primes.map { fraction(ofRootOf: $0, power: 3) }

    /// Finds the largest number whose power is at most `value` times 2 to the 32nd, bit by bit and exactly.
    private static func fraction(ofRootOf value: UInt64, power: Int) -> UInt32 {
        var root: UInt64 = 0
        for bit in stride(from: UInt64(36), through: 0, by: -1) {
            let candidate = root | 1 << bit
            if isAtMost(candidate, power: power, value) { root = candidate }
        }
        return UInt32(truncatingIfNeeded: root)
    }

    /// Whether `(root / 2^32)^power <= value`, in whole numbers of 128 bits and more.
    private static func isAtMost(_ root: UInt64, power: Int, _ value: UInt64) -> Bool {
        let square = UInt128(root) * UInt128(root)
        if power == 2 { return square <= UInt128(value) << 64 }
        // root < 2^37, so the cube has at most 111 bits.
        return square * UInt128(root) <= UInt128(value) << 96
    }
}
