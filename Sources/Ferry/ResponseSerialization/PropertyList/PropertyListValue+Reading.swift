import Foundation

extension PropertyListValue {
    /// Creates a value from a binary or XML property list.
    ///
    /// A damaged list is an error: binary lists are not parsed by Foundation, which crashes on them. More than 512
    /// levels and the OpenStep format are errors too, as are keys with more than 30 combining marks in a row and, in
    /// XML, keys of more than 4,096 bytes.
    ///
    /// - Parameter propertyList: The list.
    /// - Throws: ``PropertyListParsingError`` with the reason and, if known, the position.
    public init(propertyList: Data) throws(PropertyListParsingError) {
        guard propertyList.starts(with: "bplist".utf8) else {
            self = try Self.xml(propertyList)
            return
        }
        let result = propertyList.withUnsafeBytes { bytes in
            Result { () throws(PropertyListParsingError) in
                var parser = try BinaryPropertyListParser(bytes)
                return try parser.parse()
            }
        }
        self = try result.get()
    }

    private static func xml(_ data: Data) throws(PropertyListParsingError) -> PropertyListValue {
        let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        let first = start.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        // 0xFE and 0xFF begin the byte order marks of UTF-16.
        guard first == UInt8(ascii: "<") || first == 0xFE || first == 0xFF else {
            throw PropertyListParsingError("Neither a binary nor an XML property list")
        }
        guard XMLPropertyListKeys.areShort(in: data) else {
            throw PropertyListParsingError("A key of more than \(XMLPropertyListKeys.maximumSize) bytes")
        }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
        } catch {
            let details = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw PropertyListParsingError(details ?? "Not a well-formed XML property list")
        }
        guard format == .xml else { throw PropertyListParsingError("An OpenStep property list") }
        guard let value = PropertyListValue(object) else {
            throw PropertyListParsingError("A value of an unknown type")
        }
        return value
    }

    /// Creates a value from the result of Foundation's reader; nil if it contains other types than a property list can.
    private init?(_ object: Any) {
        switch object {
        case let value as [String: Any]:
            let members = value.compactMapValues(PropertyListValue.init)
            guard members.count == value.count else { return nil }
            self = .dictionary(members)
        case let value as [Any]:
            let elements = value.compactMap(PropertyListValue.init)
            guard elements.count == value.count else { return nil }
            self = .array(elements)
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        // The cast alone would also succeed for an NSNumber that is 1.
        case let value as Bool where type(of: object) == Bool.self: self = .bool(value)
        case let value as NSNumber: self = Self.number(value)
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        switch String(cString: number.objCType) {
        case "c", "B": .bool(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        case "Q" where number.uint64Value > UInt64(Int64.max): .unsigned(number.uint64Value)
        default: .integer(number.int64Value)
        }
    }
}
