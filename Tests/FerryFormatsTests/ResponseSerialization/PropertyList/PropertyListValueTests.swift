import FerryFormats
import Foundation
import TestSupport
import Testing

@Suite("Property lists")
struct PropertyListValueTests {
    private let value: PropertyListValue = .dictionary([
        "bool": .bool(true), "no": .bool(false), "small": .integer(1), "negative": .integer(-5),
        "large": .integer(1 << 40), "least": .integer(.min), "huge": .unsigned(.max), "real": .real(2.5),
        "text": .string("abc"), "unicode": .string("häß \u{1F600}"),
        "long": .string(String(repeating: "x", count: 400)),
        "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "data": .data(Data((0..<100).map { UInt8($0) })),
        "array": .array([.array([]), .dictionary([:]), .string("abc"), .array((0..<300).map { .integer($0) })]),
    ])

    /// The same value as Foundation objects.
    private var foundation: [String: Any] {
        [
            "bool": true, "no": false, "small": 1, "negative": -5, "large": 1 << 40, "least": Int64.min,
            "huge": UInt64.max, "real": 2.5, "text": "abc", "unicode": "häß \u{1F600}",
            "long": String(repeating: "x", count: 400), "date": Date(timeIntervalSinceReferenceDate: 86_400),
            "data": Data((0..<100).map { UInt8($0) }),
            "array": [[Any](), [String: Any](), "abc", Array(0..<300)] as [Any],
        ]
    }

    private func written(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: foundation, format: format, options: 0)
    }

    @Test("Lists that Foundation writes are read, binary and XML")
    func reads() throws {
        #expect(try PropertyListValue(propertyList: try written(.binary)) == value)
        #expect(try PropertyListValue(propertyList: try written(.xml)) == value)
    }

    @Test("Values are accessed by name and index, and missing ones are nil")
    func access() {
        #expect(value.text?.string == "abc")
        #expect(value["array"]?[3]?[299]?.int == 299)
        #expect(value["array"]?[4] == nil)
        #expect(value["array"]?[-1] == nil)
        #expect(value.missing == nil)
        #expect(value.huge?.int == nil)
        #expect(value.huge?.double == Double(UInt64.max))
        #expect(value.real?.double == 2.5)
        #expect(value["date"]?.date == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(value["data"]?.data?.count == 100)
        #expect(value["bool"]?.bool == true)
    }

    @Test("Keyed archives expose their references")
    func uid() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: NSString("hi"), requiringSecureCoding: true)
        let list = try PropertyListValue(propertyList: archive)
        #expect(list["$top"]?["root"] == .uid(1))
        #expect(list["$objects"]?[0]?.string == "$null")
    }

    static let refusedTexts = [
        "", " ", "bplist", "bplist00", "<", "<?xml version=\"1.0\"?>", "hello", "{ a = b; }", "<0fbd77>",
        "<plist version=\"1.0\"><dict><key>a</key></dict></plist>", "<plist><array></plist>",
    ]

    @Test("Data that is not a property list is refused", arguments: refusedTexts)
    func refused(text: String) {
        #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: Data(text.utf8)) }
    }

    private func list(_ entries: String) -> Data {
        Data("<plist version=\"1.0\"><dict>\(entries)</dict></plist>".utf8)
    }

    /// Hashing a long run of combining marks takes quadratic time, and a section may have a closing tag as text.
    @Test(
        "A long key in XML is refused, also if it has a section of character data or a comment",
        arguments: ["", "<![CDATA[</key]]>", "<![CDATA[", "<!-- </key> -->", "a<!--"]
    )
    func longKey(_ start: String) {
        let marks = String(repeating: "\u{301}\u{316}", count: 5_000)
        let end = ContinuousClock.now + .seconds(10 * patience)
        for close in ["", "]]>", "-->"] {
            let data = list("<key>\(start)\(marks)\(close)</key><true/>")
            #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: data) }
        }
        #expect(ContinuousClock.now < end)
    }

    /// Strings of Swift are equal if they are canonically equivalent, so a dictionary would have only one of the two.
    @Test(
        "Keys that differ only in Unicode normalization are refused instead of merged",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary]
    )
    func spellings(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let list = ["e\u{301}\u{323}": 1, "e\u{323}\u{302}": 2]
        var data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        #expect(try PropertyListValue(propertyList: data).dictionary?.count == 2)
        // Foundation would merge the keys, so the second one becomes equivalent to the first one only here.
        let encoding = format == .binary ? String.Encoding.utf16BigEndian : .utf8
        let old = try #require("\u{323}\u{302}".data(using: encoding))
        let range = try #require(data.range(of: old))
        data.replaceSubrange(range, with: try #require("\u{323}\u{301}".data(using: encoding)))
        let error = try #require(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: data) }
        #expect(error.localizedDescription.contains("only in Unicode normalization"))
    }

    @Test("Tags in comments and character data outside of keys are no keys")
    func sections() throws {
        let long = String(repeating: "x", count: 10_000)
        let value = try PropertyListValue(
            propertyList: list(
                "<!-- <key> -->\n<key>a</key><string><![CDATA[<key>\(long)]]></string><!-- </key> --><key>b</key><true/>"
            )
        )
        #expect(value == .dictionary(["a": .string("<key>" + long), "b": .bool(true)]))
    }

    @Test("Every truncated list is refused")
    func truncated() throws {
        let data = try written(.binary)
        for length in stride(from: 0, to: data.count, by: 7) {
            #expect(throws: PropertyListParsingError.self) {
                try PropertyListValue(propertyList: data.prefix(length))
            }
        }
    }

    @Test("100,000 damaged binary lists are read or refused, and never crash", .timeLimit(.minutes(5)), .ownThreads)
    func damaged() throws {
        let bytes = Array(
            try PropertyListSerialization.data(
                fromPropertyList: [
                    "a": [1, 2.5, "x", "é", Data([1]), Date()] as [Any], "b": ["c": [true, 1 << 40] as [Any]],
                ],
                format: .binary,
                options: 0
            )
        )
        var random = SeededGenerator(3)
        var refused = 0
        for _ in 0..<100_000 {
            if (try? PropertyListValue(propertyList: Data(random.damage(bytes)))) == nil { refused += 1 }
        }
        #expect(refused > 50_000)
        #expect(refused < 100_000)
    }

    @Test("20,000 damaged XML lists are read or refused, and never crash", .timeLimit(.minutes(5)))
    func damagedXML() throws {
        let bytes = Array(
            try PropertyListSerialization.data(
                fromPropertyList: ["a": [1, 2.5, "x&<", Data([1]), Date()] as [Any], "b": ["c": [true] as [Any]]],
                format: .xml,
                options: 0
            )
        )
        var random = SeededGenerator(4)
        var refused = 0
        for _ in 0..<20_000 {
            if (try? PropertyListValue(propertyList: Data(random.damage(bytes)))) == nil { refused += 1 }
        }
        #expect(refused > 1000)
    }

    /// Returns a binary list of objects given by their bytes; references take two bytes.
    private func list(_ objects: [[UInt8]], top: UInt8 = 0) -> Data {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += withUnsafeBytes(of: UInt32(bytes.count).bigEndian, Array.init)
            bytes += object
        }
        let tableOffset = withUnsafeBytes(of: UInt64(bytes.count).bigEndian, Array.init)
        let count = withUnsafeBytes(of: UInt64(objects.count).bigEndian, Array.init)
        bytes += table
        bytes += [0, 0, 0, 0, 0, 0, 4, 2] + count + [0, 0, 0, 0, 0, 0, 0, top] + tableOffset
        return Data(bytes)
    }

    private func array(_ references: Int...) -> [UInt8] {
        [0xA0 | UInt8(references.count)] + references.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    @Test("Shared objects are kept; cycles, overlaps, deep nesting and exponential expansion are refused")
    func hostile() throws {
        #expect(
            try PropertyListValue(propertyList: list([array(1, 1), [0x51, 0x61]]))
                == .array([.string("a"), .string("a")])
        )
        for hostile in [
            list([array(0)]), list([array(1), array(0)]),
            list([array(1)]), list([[0xD1, 0, 1, 0, 1], [0x08]]), list([[0x55, 0x61]]), list([[0x00]]),
            list([[0x15] + Array(repeating: 0, count: 32)]), list([[0x5F, 0x13] + Array(repeating: 0xFF, count: 8)]),
            list([[0x5F, 0x14] + Array(repeating: 0, count: 15) + [1, 0x61]]),
            list([[0x4F, 0x5F]]), list([[0xC1, 0, 0]]), list([[0x33] + [0x7F, 0xF0, 0, 0, 0, 0, 0, 0]]),
            list([[0x08]], top: 1),
            list((0..<600).map { array($0 + 1) } + [[0x09]]),
            list([array(2, 1), array(3, 4), [0x09], [0x09]]),
        ] {
            #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: hostile) }
        }
        // Each level contains the next one twice: 2 to the power of 40 values.
        let doubling = (0..<40).map { array($0 + 1, $0 + 1) } + [[0x09]]
        #expect {
            try PropertyListValue(propertyList: list(doubling))
        } throws: { error in
            (error as? PropertyListParsingError)?.reason.contains("expands") == true
        }
        // A chain whose links are all read before its depth is known.
        let links = (1..<2000).map { $0 == 1 ? [0x09] : array($0 - 1) }
        let references = (1..<2000).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let chain: [[UInt8]] = [[0xAF, 0x11, 0x07, 0xCF] + references] + links
        #expect {
            try PropertyListValue(propertyList: list(chain))
        } throws: { error in
            (error as? PropertyListParsingError)?.reason.contains("levels") == true
        }
    }

    @Test("A long key may be used a few times, and not many times")
    func longKeys() throws {
        let key: [UInt8] = [0x5F, 0x11, 0x10, 0x00] + Array(repeating: 0x61, count: 4096)
        func parse(_ count: Int) throws -> PropertyListValue {
            let references = (3..<count + 3).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let top: [UInt8] = [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 0xFF)] + references
            let dictionaries: [[UInt8]] = Array(repeating: [0xD1, 0, 1, 0, 2], count: count)
            return try PropertyListValue(propertyList: list([top, key, [0x09]] + dictionaries))
        }
        #expect(try parse(256).array?.count == 256)
        let error = #expect(throws: PropertyListParsingError.self) { try parse(257) }
        #expect(error?.reason == "Long keys that are used many times")
    }

    @Test("Overlapping objects cannot use more memory than the list's size allows")
    func overlap() {
        // A thousand strings that all start at the same offset.
        var bytes = Array("bplist00".utf8)
        let strings = 1000
        bytes += [0xAF, 0x11, UInt8(strings >> 8), UInt8(strings & 0xFF)]
        for index in 1...strings { bytes += [UInt8(index >> 8), UInt8(index & 0xFF)] }
        let start = bytes.count
        bytes += [0x5F, 0x11, 0x40, 0x00] + Array(repeating: 0x61, count: 0x4000)
        let table = bytes.count
        for offset in [8] + Array(repeating: start, count: strings) {
            bytes += withUnsafeBytes(of: UInt32(offset).bigEndian, Array.init)
        }
        bytes += [0, 0, 0, 0, 0, 0, 4, 2] + withUnsafeBytes(of: UInt64(strings + 1).bigEndian, Array.init)
        bytes += Array(repeating: 0, count: 8) + withUnsafeBytes(of: UInt64(table).bigEndian, Array.init)
        #expect {
            try PropertyListValue(propertyList: Data(bytes))
        } throws: { error in
            (error as? PropertyListParsingError)?.reason == "Objects that overlap"
        }
    }
}
