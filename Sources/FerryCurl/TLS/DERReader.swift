/// A reader for the elements of DER (X.690), whose lengths are in their shortest form.
///
/// Elements with tags of several bytes, which certificates do not use, are refused.
package struct DERReader {
    private var rest: ArraySlice<UInt8>
    private let allowsLongLengths: Bool

    /// Creates a reader; with `allowsLongLengths` it also accepts the longer forms of lengths that BER allows.
    package init(_ bytes: ArraySlice<UInt8>, allowsLongLengths: Bool = false) {
        rest = bytes
        self.allowsLongLengths = allowsLongLengths
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package struct Element {
        package var tag: UInt8
        /// The element including its tag and length.
        package var whole: ArraySlice<UInt8>
        package var content: ArraySlice<UInt8>
    }

    /// The tags of the elements of a certificate (X.690, section 8.1.2).
    package enum Tag {
        static let boolean: UInt8 = 0x01
        package static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        package static let identifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        package static let sequence: UInt8 = 0x30
        package static let set: UInt8 = 0x31

        package static func context(_ number: UInt8, isConstructed: Bool) -> UInt8 {
            (isConstructed ? 0xA0 : 0x80) | number
        }
    }

    /// Reads the next element, or returns `nil` if there is no complete one.
    package mutating func next() -> Element? {
        var reader = rest
        guard let tag = reader.popFirst(), tag & 0x1F != 0x1F, let first = reader.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), reader.count >= count else { return nil }
            length = reader.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            let isBrief = length >= 0x80 && length >> (8 * (count - 1)) != 0
            guard isBrief || allowsLongLengths else { return nil }
            reader = reader.dropFirst(count)
        }
        guard reader.count >= length else { return nil }
        let content = reader.prefix(length)
        reader = reader.dropFirst(length)
        let whole = rest.prefix(rest.count - reader.count)
        rest = reader
        return Element(tag: tag, whole: whole, content: content)
    }

    /// Reads the next element if it has the tag; otherwise returns `nil` and reads nothing.
    package mutating func next(_ tag: UInt8) -> Element? { rest.first == tag ? next() : nil }

    /// Reads the next element if it has the tag, and returns a reader of its content.
    package mutating func enter(_ tag: UInt8) -> DERReader? {
        next(tag).map { DERReader($0.content, allowsLongLengths: allowsLongLengths) }
    }
}
