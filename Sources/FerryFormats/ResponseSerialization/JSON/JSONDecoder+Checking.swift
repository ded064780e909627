extension JSONDecoder {
    /// Decodes a value from a text in the grammar of ``JSONValue`` (RFC 8259).
    ///
    /// Foundation's decoder also accepts a comma after the last element and, in values that are not decoded, numbers
    /// and strings that are not valid. It refuses some zeros with an exponent, keeps the first of several members with
    /// one name instead of the last, and hashes all names; see ``Swift/String/isQuicklyHashed``. The text is therefore
    /// checked first, and changed where the decoder would read it in another way. If it is invalid, a
    /// ``JSONParsingError`` is the underlying error of `DecodingError.dataCorrupted`.
    ///
    /// A decoder with `allowsJSON5` or `assumesTopLevelDictionary` uses Foundation's grammar.
    package func decodeStrictly<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        guard !allowsJSON5, !assumesTopLevelDictionary else {
            guard JSONMarks.areFew(in: json) else {
                let text = "JSON5 with more than \(String.maximumMarks) combining marks in a row"
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: text))
            }
            return try decode(type, from: json)
        }
        let text: Data
        do throws(JSONParsingError) {
            text = try JSONParser.checked(json)
        } catch {
            let description = "The text is not valid JSON"
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: description, underlyingError: error)
            )
        }
        return try decode(type, from: text)
    }
}

extension JSONParser {
    /// Checks a text, and returns it in UTF-8, changed so that Foundation's decoder reads the same values.
    fileprivate static func checked(_ json: Data) throws(JSONParsingError) -> Data {
        var text = utf8(json)
        let findings = try read(text, keepsValues: false)
        for exponent in findings.zeroExponents {
            for index in exponent { text[text.startIndex + index] = UInt8(ascii: " ") }
        }
        guard findings.hasDuplicates else { return text }
        let (value, hasDuplicates, _) = try read(text, keepsValues: true)
        return hasDuplicates ? value.jsonData([]) : text
    }

    /// Parses a text in UTF-8, and returns what the parser has found.
    static func read(
        _ text: Data,
        _ options: JSONValue.ReadingOptions = .fragmentsAllowed,
        keepsValues: Bool
    ) throws(JSONParsingError) -> (value: JSONValue, hasDuplicates: Bool, zeroExponents: [Range<Int>]) {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(JSONParsingError) in
                var parser = JSONParser(bytes.bindMemory(to: UInt8.self), keepsValues: keepsValues)
                return (try parser.parse(options), parser.hasDuplicates, parser.zeroExponents)
            }
        }
        return try result.get()
    }
}

/// A check of the combining marks in a text that only Foundation can parse, such as JSON5.
private enum JSONMarks {
    /// Returns a Boolean value that indicates whether no more marks than the limit follow each other anywhere in a
    /// text.
    static func areFew(in json: Data) -> Bool {
        let text = JSONParser.utf8(json)
        guard text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return true }
        return unescaped(String(decoding: text, as: UTF8.self)).isQuicklyHashed
    }

    /// Returns a text with the characters that escapes stand for, with U+FFFD for `\u` without four digits.
    ///
    /// A backslash before a line break continues a string.
    private static func unescaped(_ text: String) -> String {
        var result: [UInt16] = []
        var rest = Array(text.utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                result.append(unit)
                continue
            }
            switch escaped {
            case 0x0A, 0x2028, 0x2029: break
            case 0x0D: if rest.first == 0x0A { rest.removeFirst() }
            case UInt16(UInt8(ascii: "u")):
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)
                let isValid = digits.utf8.count == 4 && digits.allSatisfy(\.isHexDigit)
                result.append(isValid ? UInt16(digits, radix: 16) ?? 0xFFFD : 0xFFFD)
                if isValid { rest.removeFirst(4) }
            default: result.append(escaped)
            }
        }
        return String(decoding: result, as: UTF16.self)
    }
}
