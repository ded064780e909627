import Foundation

/// The SHA-256 hash (FIPS 180-4) of bytes that come in pieces.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(Data("abc".utf8))
/// print(hash.hexDigest)  // ba7816bf…
/// ```
public struct SHA256: Sendable {
    private var state = SHA256State()
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// Starts a hash of no bytes.
    public init() {}

    /// Adds bytes to the hash.
    public mutating func update(_ data: Data) {
        data.withUnsafeBytes { update($0) }
    }

    /// Adds bytes to the hash.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes to the hash.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(64 - pending.count, rest.count)
            pending.append(contentsOf: rest.prefix(missing))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard pending.count == 64 else { return }
            pending.withUnsafeBytes { state.compress($0, blocks: 1) }
            pending.removeAll(keepingCapacity: true)
        }
        let blocks = rest.count / 64
        state.compress(rest, blocks: blocks)
        pending.append(contentsOf: rest.dropFirst(blocks * 64))
    }

    /// The 32 bytes of the hash of everything added so far; more can be added afterwards.
    public var digest: [UInt8] {
        var last = self
        var padding: [UInt8] = [0x80]
        let used = (pending.count + 1) % 64
        padding.append(contentsOf: repeatElement(0, count: used <= 56 ? 56 - used : 120 - used))
        let bits = length &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        last.update(padding)
        return last.state.bytes
    }

    /// The hash of everything added so far as 64 lower-case hexadecimal digits.
    public var hexDigest: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in digest {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The hash of `data` as 64 lower-case hexadecimal digits.
    public static func hexDigest(of data: Data) -> String {
        var hash = SHA256()
        hash.update(data)
        return hash.hexDigest
    }
}
