import Foundation

/// A reader that turns a fuzzer's bytes into decisions.
///
/// It reads from the front and continues with zeros after the end, so that every input is valid and a small change of
/// the bytes is a small change of the case.
public struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    public var isEmpty: Bool { position == bytes.count }

    public var count: Int { bytes.count - position }

    public mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func bool() -> Bool { byte() & 1 == 1 }

    /// Returns a number below `bound`, which must be at least one.
    public mutating func number(below bound: Int) -> Int {
        if bound <= 256 { return Int(byte()) % bound }
        return Int(UInt32(byte()) << 16 | UInt32(byte()) << 8 | UInt32(byte())) % bound
    }

    public mutating func choice<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + max(0, count))
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Returns bytes whose count the input determines, at most `limit`.
    public mutating func piece(upTo limit: Int) -> [UInt8] {
        bytes(number(below: limit + 1))
    }

    public mutating func rest() -> [UInt8] {
        bytes(bytes.count - position)
    }

    /// Returns the bytes up to the next zero or the end as text, with invalid UTF-8 replaced.
    public mutating func field() -> String {
        var end = position
        while end < bytes.count, bytes[end] != 0 { end += 1 }
        defer { position = min(bytes.count, end + 1) }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    /// Returns the remaining bytes as text, with invalid UTF-8 replaced.
    public mutating func text() -> String {
        String(decoding: rest(), as: UTF8.self)
    }
}

extension FuzzInput {
    /// Returns the remaining bytes, in a few cases repeated up to `limit` bytes.
    ///
    /// Superlinear work shows only with long inputs, which a fuzzer that starts with short ones does not find. A byte 1
    /// in the repeated part becomes a number, so that names differ.
    public mutating func amplified(to limit: Int) -> [UInt8] {
        let mayBeAmplified = byte() == 0xFF
        // The lengths of the parts at the start and the end that are not repeated.
        let head = number(below: 64)
        let tail = number(below: 64)
        let all = rest()
        // Long inputs are slow, so only some of the inputs that request it are repeated. A hash of the bytes decides,
        // so that a finding can be reproduced.
        guard mayBeAmplified, all.count > head + tail, hash(all) % 64 == 0 else { return all }
        let pattern = all[head..<all.count - tail]
        var result = Array(all[..<head])
        result.reserveCapacity(limit + all.count)
        var count = 0
        while result.count < limit {
            for byte in pattern {
                if byte == 1 { result.append(contentsOf: "\(count)".utf8) } else { result.append(byte) }
            }
            count += 1
        }
        result.append(contentsOf: all[(all.count - tail)...])
        return result
    }

    /// Returns the same as `amplified(to:)` as text, with invalid UTF-8 replaced.
    public mutating func amplifiedText(to limit: Int) -> String {
        String(decoding: amplified(to: limit), as: UTF8.self)
    }

    /// Returns the FNV-1a hash.
    private func hash(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 } >> 8
    }
}
