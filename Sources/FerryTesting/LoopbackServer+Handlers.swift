import Foundation
import Synchronization

extension LoopbackServer {
    /// Returns a handler that responds with each of the responses in turn, and then repeats the last one.
    public static func sequence(_ responses: [LoopbackResponse]) -> Handler {
        let counter = SequenceCounter()
        return { _ in
            guard let last = responses.indices.last else { return .text("The sequence is empty.", status: 500) }
            return responses[min(counter.next(), last)]
        }
    }

    /// Returns bytes `offset..<offset + count` of the endless sequence used for pattern bodies.
    public static func pattern(count: Int, offset: Int = 0) -> Data {
        Pattern.data(count: count, offset: offset)
    }

    /// Returns the SHA-256 of the pattern's first `count` bytes, in hexadecimal.
    public static func patternSHA256(count: Int) -> String {
        Pattern.digest(count: count)
    }
}

/// A counter that starts at zero.
private final class SequenceCounter: Sendable {
    private let value = Atomic(0)

    func next() -> Int {
        value.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
