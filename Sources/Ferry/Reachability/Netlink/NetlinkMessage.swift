/// A message of the kernel's netlink protocol (RFC 3549, section 2.3.2), read from untrusted bytes.
struct NetlinkMessage: Sendable, Hashable {
    /// The message types that are used.
    enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let getLink: UInt16 = 18
        static let newRoute: UInt16 = 24
        static let getRoute: UInt16 = 26
    }

    /// The length of the header before each message.
    static let headerLength = 16

    var type: UInt16
    var sequence: UInt32
    var payload: ArraySlice<UInt8>

    /// Returns all complete messages at the beginning of some bytes.
    static func messages(in bytes: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var rest = bytes
        var messages: [NetlinkMessage] = []
        while let length = rest.number(UInt32.self, at: 0).map(Int.init), length >= headerLength, length <= rest.count,
            let type = rest.number(UInt16.self, at: 4), let sequence = rest.number(UInt32.self, at: 8)
        {
            let payload = rest.prefix(length).dropFirst(headerLength)
            messages.append(NetlinkMessage(type: type, sequence: sequence, payload: payload))
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    /// Returns the attributes after the payload's fixed-length head, by type; the first one if a type is repeated.
    func attributes(after headLength: Int) -> [UInt16: ArraySlice<UInt8>] {
        var rest = payload.dropFirst(Self.aligned(headLength))
        var attributes: [UInt16: ArraySlice<UInt8>] = [:]
        let flags: UInt16 = 0xC000
        while let length = rest.number(UInt16.self, at: 0).map(Int.init), length >= 4, length <= rest.count,
            let type = rest.number(UInt16.self, at: 2)
        {
            let key = type & ~flags
            if attributes[key] == nil { attributes[key] = rest.prefix(length).dropFirst(4) }
            rest = rest.dropFirst(Self.aligned(length))
        }
        return attributes
    }

    /// Returns a request as bytes.
    static func request(_ type: UInt16, isDump: Bool, sequence: UInt32, payload: [UInt8]) -> [UInt8] {
        let (isRequest, dump): (UInt16, UInt16) = (1, 0x300)
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(headerLength + payload.count))
        bytes.append(number: type)
        bytes.append(number: isRequest | (isDump ? dump : 0))
        bytes.append(number: sequence)
        bytes.append(number: UInt32(0))
        return bytes + payload
    }

    /// Rounds up to a multiple of four: messages and attributes are aligned to four bytes.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// Returns the number at an offset, in the machine's byte order; nil if there are not enough bytes.
    func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, count >= size, offset <= count - size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}

extension [UInt8] {
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }
}
