/// The steps of one rule of a ``FaultScript``, by position.
enum FaultPlan: Sendable {
    case steps([FaultStep], repeats: Bool)
    case random(RandomFaults)

    /// Returns the step of a request, given the number of requests before it.
    func step(at position: Int, for target: String) -> FaultStep {
        switch self {
        case .steps(let steps, let repeats):
            let index = repeats && !steps.isEmpty ? position % steps.count : position
            return steps.indices.contains(index) ? steps[index] : .pass
        case .random(let random): return random.step(at: position, for: target)
        }
    }
}

/// Faults that a seed determines.
struct RandomFaults: Sendable {
    let seed: UInt64
    let share: Double
    /// The faults to choose from; nil for a mix.
    let faults: [FaultStep]?

    func step(at position: Int, for target: String) -> FaultStep {
        guard faults?.isEmpty != true else { return .pass }
        var generator = generator(target, position)
        guard isFault(&generator) else { return .pass }
        return faults?.randomElement(using: &generator) ?? Self.mixed(&generator)
    }

    private func isFault(_ generator: inout FaultGenerator) -> Bool {
        Double(generator.next() >> 11) / Double(1 << 53) < share
    }

    private func generator(_ target: String, _ position: Int) -> FaultGenerator {
        var generator = FaultGenerator(state: ByteHash.of(Data(target.utf8)) ^ seed)
        return FaultGenerator(state: generator.next() &+ UInt64(truncatingIfNeeded: position) &* 0xD134_2543_DE82_EF95)
    }

    private static func mixed(_ generator: inout FaultGenerator) -> FaultStep {
        // Small positions are as likely as large ones, so that small bodies are broken too.
        let draw = generator.next()
        let position = Int(draw >> 32 & 0xFFFF) >> Int(draw & 15)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .close
        case 1: return .reset
        case 2: return .reset(after: position)
        case 3: return .truncate(after: position)
        case 4: return .pause(after: position, seconds: 0.5)
        case 5: return .respond(statusCode: 429, retryAfter: 1)
        case 6: return .respond(statusCode: 500)
        default: return .respond(statusCode: 503, retryAfter: 1)
        }
    }
}

/// A random number generator with the same numbers for the same state (SplitMix64).
struct FaultGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
