import Foundation
import Synchronization

extension LoopbackServer {
    /// A handler that answers the first request with the first response, and so on; the last one stays.
    public static func sequence(_ responses: [LoopbackResponse]) -> Handler {
        let counter = SequenceCounter()
        return { _ in
            guard let last = responses.indices.last else { return .text("The sequence is empty.", status: 500) }
            return responses[min(counter.next(), last)]
        }
    }

    /// Bytes `offset..<offset + count` of the endless sequence that pattern bodies are made of.
    public static func pattern(count: Int, offset: Int = 0) -> Data {
        Pattern.data(count: count, offset: offset)
    }

    /// The SHA-256 of the pattern's first `count` bytes, in hexadecimal.
    public static func patternSHA256(count: Int) -> String {
        Pattern.digest(count: count)
    }
}

/// Counts from zero.
private final class SequenceCounter: Sendable {
    private let value = Atomic(0)

    func next() -> Int {
        value.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
