/// A parser for binary property lists (`bplist00`).
///
/// Foundation's reader crashes on damaged lists, so it is never given one. Every number in the file is checked before
/// it is used: offsets against the length, references against the number of objects, and containers against cycles, the
/// depth limit and the size to which they expand.
package struct BinaryPropertyListParser {
    package static let maximumDepth = 512
    /// The limit on expanded values: containers may share their elements, which can make a small file expand a lot.
    package static let maximumValues = 1 << 24

    /// The limit on the bytes of all keys together: `each` for each byte of the list, but at least `least`.
    ///
    /// Each use of a key counts: dictionaries may share a long key, but each of them hashes it.
    private static let keyBytes = (least: 1 << 20, each: 32)

    private static let headerLength = 8
    private static let trailerLength = 32

    private let bytes: UnsafeRawBufferPointer
    private let tableOffset: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let top: Int

    /// The number of bytes that objects may still occupy; if it drops below zero, objects overlap.
    private var remaining: Int
    /// The number of bytes of keys that dictionaries may still hash.
    private var remainingKeyBytes: Int
    private var parsed: [Int: Parsed] = [:]
    private var isOpen: Set<Int> = []

    private struct Parsed {
        package let value: PropertyListValue
        /// The number of values to which it expands.
        package var size = 1
        /// The number of levels below it.
        package var height = 0
    }

    package init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListParsingError) {
        self.bytes = bytes
        guard bytes.count > Self.headerLength + Self.trailerLength, bytes.starts(with: "bplist0".utf8) else {
            throw PropertyListParsingError("Too short for a binary property list")
        }
        let trailer = bytes.count - Self.trailerLength
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw PropertyListParsingError("A trailer with invalid sizes", at: trailer)
        }
        let objects = Self.number(bytes, at: trailer + 8, size: 8)
        let root = Self.number(bytes, at: trailer + 16, size: 8)
        let table = Self.number(bytes, at: trailer + 24, size: 8)
        guard objects > 0, root < objects, table > UInt64(Self.headerLength), table < UInt64(trailer),
            objects <= (UInt64(trailer) - table) / UInt64(offsetSize)
        else { throw PropertyListParsingError("A trailer that does not match the length", at: trailer) }
        // All three are less than the length, so they fit into an Int.
        objectCount = Int(objects)
        top = Int(root)
        tableOffset = Int(table)
        remaining = bytes.count
        let (keyBytes, isTooLarge) = bytes.count.multipliedReportingOverflow(by: Self.keyBytes.each)
        remainingKeyBytes = isTooLarge ? .max : max(keyBytes, Self.keyBytes.least)
    }

    package mutating func parse() throws(PropertyListParsingError) -> PropertyListValue {
        try object(top, depth: 0).value
    }

    private mutating func object(_ reference: Int, depth: Int) throws(PropertyListParsingError) -> Parsed {
        if let known = parsed[reference] {
            guard depth + known.height <= Self.maximumDepth else {
                throw PropertyListParsingError("More than \(Self.maximumDepth) levels")
            }
            return known
        }
        guard reference < objectCount else { throw PropertyListParsingError("A reference out of range") }
        let entry = Self.number(bytes, at: tableOffset + reference * offsetSize, size: offsetSize)
        guard entry >= UInt64(Self.headerLength), entry < UInt64(tableOffset) else {
            throw PropertyListParsingError("An object outside the list", at: tableOffset + reference * offsetSize)
        }
        let offset = Int(entry)
        let result: Parsed
        switch bytes[offset] >> 4 {
        case 0xA, 0xD:
            guard depth < Self.maximumDepth else {
                throw PropertyListParsingError("More than \(Self.maximumDepth) levels", at: offset)
            }
            guard isOpen.insert(reference).inserted else {
                throw PropertyListParsingError("A container inside itself", at: offset)
            }
            result = try container(at: offset, depth: depth)
            isOpen.remove(reference)
        default:
            result = Parsed(value: try scalar(at: offset))
        }
        parsed[reference] = result
        return result
    }

    private mutating func container(at offset: Int, depth: Int) throws(PropertyListParsingError) -> Parsed {
        let isDictionary = bytes[offset] >> 4 == 0xD
        let (start, count) = try extent(at: offset, unit: isDictionary ? 2 * referenceSize : referenceSize)
        var size = 1
        var height = 1
        var keys: [String] = []
        var values: [PropertyListValue] = []
        for index in 0..<(isDictionary ? 2 * count : count) {
            let reference = Self.number(bytes, at: start + index * referenceSize, size: referenceSize)
            guard reference < UInt64(objectCount) else {
                throw PropertyListParsingError("A reference out of range", at: start + index * referenceSize)
            }
            let element = try object(Int(reference), depth: depth + 1)
            size += element.size
            height = max(height, element.height + 1)
            guard size <= Self.maximumValues else {
                throw PropertyListParsingError("The list expands to more than \(Self.maximumValues) values", at: offset)
            }
            if isDictionary, index < count {
                keys.append(try key(element.value, at: offset))
            } else {
                values.append(element.value)
            }
        }
        guard isDictionary else { return Parsed(value: .array(values), size: size, height: height) }
        var members: [String: PropertyListValue] = [:]
        for (key, value) in zip(keys, values) {
            if let reason = key.keyRefusal(in: members) { throw PropertyListParsingError(reason, at: offset) }
            members[key] = value
        }
        return Parsed(value: .dictionary(members), size: size, height: height)
    }

    /// Returns a value as a key of the dictionary at an offset.
    private mutating func key(_ value: PropertyListValue, at offset: Int) throws(PropertyListParsingError) -> String {
        guard let key = value.string else { throw PropertyListParsingError("A key that is not a string", at: offset) }
        remainingKeyBytes -= key.utf8.count
        guard remainingKeyBytes >= 0 else {
            throw PropertyListParsingError("Long keys that are used many times", at: offset)
        }
        return key
    }

    private mutating func scalar(at offset: Int) throws(PropertyListParsingError) -> PropertyListValue {
        let marker = bytes[offset]
        let length = 1 << Int(marker & 0xF)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .bool(false)
        case 0x0 where marker == 0x09: return .bool(true)
        case 0x1 where length <= 16: return try integer(at: offset, length: length)
        case 0x2 where length == 4:
            try require(length, after: offset)
            return .real(Double(Float(bitPattern: UInt32(Self.number(bytes, at: offset + 1, size: 4)))))
        case 0x2 where length == 8: return .real(try double(at: offset))
        case 0x3 where marker == 0x33:
            let seconds = try double(at: offset)
            guard seconds.isFinite else { throw PropertyListParsingError("A date that is not finite", at: offset) }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x4:
            let (start, count) = try extent(at: offset, unit: 1)
            return .data(Data(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])))
        case 0x5, 0x7:
            let (start, count) = try extent(at: offset, unit: 1)
            guard let text = String(validating: bytes[start..<start + count], as: UTF8.self) else {
                throw PropertyListParsingError("A string that is not UTF-8", at: offset)
            }
            return .string(text)
        case 0x6:
            let (start, count) = try extent(at: offset, unit: 2)
            let units = (0..<count).map { UInt16(Self.number(bytes, at: start + 2 * $0, size: 2)) }
            // Foundation's strings may contain unpaired surrogates.
            return .string(String(decoding: units, as: UTF16.self))
        case 0x8:
            let size = Int(marker & 0xF) + 1
            guard size <= 8 else { break }
            try require(size, after: offset)
            return .uid(Self.number(bytes, at: offset + 1, size: size))
        default: break
        }
        throw PropertyListParsingError("An object of an unknown type", at: offset)
    }

    /// Reads an integer.
    ///
    /// It is unsigned with one, two or four bytes, and signed with eight. Sixteen bytes are used for 64-bit integers
    /// that are too large to be signed.
    private func integer(at offset: Int, length: Int) throws(PropertyListParsingError) -> PropertyListValue {
        try require(length, after: offset)
        guard length == 16 else {
            return .integer(Int64(bitPattern: Self.number(bytes, at: offset + 1, size: length)))
        }
        let high = Self.number(bytes, at: offset + 1, size: 8)
        let low = Self.number(bytes, at: offset + 9, size: 8)
        switch high {
        case 0: return low > UInt64(Int64.max) ? .unsigned(low) : .integer(Int64(low))
        case .max where low > UInt64(Int64.max): return .integer(Int64(bitPattern: low))
        default: throw PropertyListParsingError("An integer of more than 64 bits", at: offset)
        }
    }

    private func double(at offset: Int) throws(PropertyListParsingError) -> Double {
        try require(8, after: offset)
        return Double(bitPattern: Self.number(bytes, at: offset + 1, size: 8))
    }

    /// Returns where an object's content starts and the number of its units, all of which are before the offset table.
    private mutating func extent(
        at offset: Int,
        unit: Int
    ) throws(PropertyListParsingError) -> (start: Int, count: Int) {
        let short = Int(bytes[offset] & 0xF)
        var start = offset + 1
        var count = UInt64(short)
        if short == 0xF {
            try require(1, after: offset)
            let marker = bytes[start]
            guard marker >> 4 == 1, marker & 0xF <= 3 else {
                throw PropertyListParsingError("A length that is not an integer", at: start)
            }
            let size = 1 << Int(marker & 0xF)
            try require(size, after: start)
            count = Self.number(bytes, at: start + 1, size: size)
            start += 1 + size
        }
        guard start <= tableOffset, count <= UInt64(tableOffset - start) / UInt64(unit) else {
            throw PropertyListParsingError("An object that ends outside the list", at: offset)
        }
        remaining -= Int(count) * unit
        guard remaining >= 0 else { throw PropertyListParsingError("Objects that overlap", at: offset) }
        return (start, Int(count))
    }

    private func require(_ length: Int, after offset: Int) throws(PropertyListParsingError) {
        guard length < tableOffset - offset else {
            throw PropertyListParsingError("An object that ends outside the list", at: offset)
        }
    }

    /// Returns a big-endian number; the caller must have checked that it is within the bytes.
    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int) -> UInt64 {
        bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
