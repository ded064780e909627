import FerryFormats
import Foundation
import TestSupport
import Testing

@Suite("XML property lists")
struct XMLPropertyListTests {
    private func read(_ body: String) throws -> PropertyListValue {
        try PropertyListValue(propertyList: Data("<plist version=\"1.0\">\(body)</plist>".utf8))
    }

    @Test(
        "Values have the type of their element",
        arguments: [
            ("<true/>", .bool(true)), ("<false></false>", .bool(false)), ("<true />", .bool(true)),
            ("<integer>1</integer>", .integer(1)), ("<integer> - 12 </integer>", .integer(-12)),
            ("<integer>+007</integer>", .integer(7)), ("<integer>0x1F</integer>", .integer(31)),
            ("<integer>-0X8000000000000000</integer>", .integer(.min)),
            ("<integer>9223372036854775807</integer>", .integer(.max)),
            ("<integer>9223372036854775808</integer>", .unsigned(9_223_372_036_854_775_808)),
            ("<integer>18446744073709551615</integer>", .unsigned(.max)),
            ("<real>1</real>", .real(1)), ("<real>-.5e1</real>", .real(-5)), ("<real>5.</real>", .real(5)),
            ("<real>1E400</real>", .real(.infinity)), ("<real>+Infinity</real>", .real(.infinity)),
            ("<real>-inf</real>", .real(-.infinity)),
            ("<date>2001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: 0))),
            ("<date>2004-02-29T23:59:60Z</date>", .date(Date(timeIntervalSince1970: 1_078_099_200))),
            ("<date>0001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: -63_113_904_000))),
            ("<data/>", .data(Data())), ("<data>\n\tAAEC\n\tAw==\n</data>", .data(Data([0, 1, 2, 3]))),
            ("<string/>", .string("")), ("<string>a\r\nb</string >", .string("a\r\nb")),
            ("<string a='>'>x]]>y</string>", .string("x]]>y")),
            ("<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</string>", .string("<>&\"'A\u{1F600}")),
            ("<string>a<![CDATA[<b>&amp;]]]]>c</string>", .string("a<b>&amp;]]c")),
            ("<array/>", .array([])), ("<dict></dict>", .dictionary([:])),
            ("<!-- <a> --><array><?p?><true/><!-- - --><key>k</key></array>", .array([.bool(true), .string("k")])),
            (
                "<dict><key/><true/><key>a</key><true/><key>a</key><false/></dict>",
                .dictionary(["": .bool(true), "a": .bool(false)])
            ),
            ("<dict><key>CF$UID</key><integer>5</integer></dict>", .uid(5)),
            ("<dict><key>CF$UID</key><integer>-5</integer></dict>", .dictionary(["CF$UID": .integer(-5)])),
        ] as [(String, PropertyListValue)]
    )
    func values(_ body: String, _ expected: PropertyListValue) throws {
        #expect(try read(body) == expected)
    }

    @Test(
        "Foundation reads the same values",
        arguments: [
            "<true/><false></false>", "<integer>1</integer><integer> - 12</integer><integer>0x1F</integer>",
            "<integer>9223372036854775807</integer><integer>18446744073709551615</integer><integer>007</integer>",
            "<real>1</real><real>-.5e1</real><real>5.</real><real>0.1</real><real>+1e-7</real><real>inf</real>",
            "<date>2001-02-03T04:05:06Z</date><date>1900-03-01T00:00:00Z</date><date>9999-12-31T23:59:59Z</date>",
            "<date>0001-01-01T00:00:00Z</date><date>2000-02-29T12:00:00Z</date>",
            "<data>\n\tAAEC\n\tAw==\n</data><data></data>", "<string>a\r\nb</string ><string>x]]>y</string>",
            "<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</string><string>a<![CDATA[<b>&amp;]]]]>c</string>",
            "<!-- <a> --><?p?><key>k</key><array/><array><array></array></array>",
            "<dict><key/><true/><key>a</key><true/><key>a</key><false/></dict><dict><key>a</key><key>b</key></dict>",
        ]
    )
    func foundation(_ elements: String) throws {
        let list = Data("<plist><array>\(elements)</array></plist>".utf8)
        let object = try PropertyListSerialization.propertyList(from: list, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        #expect(try PropertyListValue(propertyList: list) == PropertyListValue(propertyList: binary))
    }

    @Test("Not a number is read")
    func notANumber() throws {
        #expect(try read("<real>NaN</real>").double?.isNaN == true)
    }

    @Test(
        "An error names the cause and the line",
        arguments: [
            ("", "A property list without a value, in line 1"), ("\n<foo/>", "An unknown element, in line 2"),
            ("<strings/>", "An unknown element, in line 1"), ("<true/><false/>", "</plist> is expected, in line 1"),
            ("<true>\nx</true>", "</true> is expected, in line 2"), ("x<true/>", "Text between elements, in line 1"),
            ("<array>\n\n<true/>x</array>", "Text between elements, in line 3"),
            ("<dict><key>a</key></dict>", "A key without a value, in line 1"),
            ("<dict><string>a</string><true/></dict>", "A value without a key, in line 1"),
            ("<string>&foo;</string>", "An unknown entity, in line 1"),
            ("<string>&#;</string>", "A reference that is no character, in line 1"),
            ("<string>&#1A;</string>", "A reference that is no character, in line 1"),
            ("<string>&#xD800;</string>", "A reference that is no character, in line 1"),
            ("<string>&#x110000;</string>", "A reference that is no character, in line 1"),
            ("<string>&#99999999999999999999;</string>", "A reference that is no character, in line 1"),
            ("<string>a<!-- b --></string>", "</string> is expected, in line 1"),
            ("<string>a", "</string> is expected, in line 1"),
            ("<string><![CDATA[", "No ]]> before the end, in line 1"),
            ("<!-- a", "No --> before the end, in line 1"),
            ("<array <true/>", "A tag inside another one, in line 1"),
            ("<integer/>", "A value that is not valid in <integer>, in line 1"),
            ("<plist><true/></plist>", "A property list inside another one, in line 1"),
        ]
    )
    func errors(_ body: String, _ message: String) throws {
        let error = try #require(throws: PropertyListParsingError.self) { try read(body) }
        #expect(error.errorDescription == message)
    }

    @Test(
        "Numbers, dates and data that are not valid are refused",
        arguments: [
            (
                "integer",
                ["", "+", "0x", "1.5", "1e3", "--1", "1 2", "18446744073709551616", "-9223372036854775809", "a"]
            ),
            (
                "real",
                ["", ".", "e5", "1e", "0x10", "1,5", "-nan", "1 5", "&#49;", String(repeating: "1", count: 2_000)]
            ),
            (
                "date",
                [
                    "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01 00:00:00Z", "2001-1-1T0:0:0Z",
                    "2001-02-29T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z",
                    "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z", "0000-01-01T00:00:00Z", "1234567-01-01T00:00:00Z",
                    "-001-01-01T00:00:00Z", "2001-01-01T00:00:00.5Z", "2001-01-01T+1:00:00Z",
                ]
            ),
            ("data", ["A", "AAA", "AA!A", "AA<!-- -->AA"]),
        ] as [(String, [String])]
    )
    func invalid(_ element: String, _ contents: [String]) {
        for content in contents {
            #expect(throws: PropertyListParsingError.self, "\(content)") {
                try read("<\(element)>\(content)</\(element)>")
            }
        }
    }

    @Test(
        "Declarations and document types are skipped, and what follows the list is ignored",
        arguments: [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//A//B//EN\" \"http://a.test/>\">\n",
            "\n\t<?xml <!-- ?>", "<!-- a --><!DOCTYPE plist PUBLIC \"<!--\" \"x\"><!-- b -->", "<!DOCTYPE plist>", "",
        ]
    )
    func prolog(_ prolog: String) throws {
        #expect(try PropertyListValue(propertyList: Data("\(prolog)<plist><true/></plist>\nx".utf8)) == .bool(true))
        #expect(try PropertyListValue(propertyList: Data("\(prolog)<true/>".utf8)) == .bool(true))
    }

    @Test("A document type cannot define entities")
    func definitions() throws {
        let list = "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><string>&a;</string></plist>"
        let error = try #require(throws: PropertyListParsingError.self) {
            try PropertyListValue(propertyList: Data(list.utf8))
        }
        #expect(error.reason == "A document type with definitions, in line 1")
    }

    @Test(
        "The encoding is that of the byte order mark or the declaration",
        arguments: [
            (.utf8, ""), (.utf8, "<?xml version=\"1.0\" encoding=\"utf-8\"?>"), (.utf16, ""),
            (.isoLatin1, "<?xml version='1.0' encoding='ISO-8859-1'?>"),
            (.utf16, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        ] as [(String.Encoding, String)]
    )
    func encodings(_ encoding: String.Encoding, _ declaration: String) throws {
        let text = declaration + "<plist><string>é</string></plist>"
        let data = try #require(text.data(using: encoding))
        #expect(try PropertyListValue(propertyList: data) == .string("é"))
        if encoding == .utf8, declaration.isEmpty {
            #expect(try PropertyListValue(propertyList: Data([0xEF, 0xBB, 0xBF]) + data) == .string("é"))
        }
    }

    @Test("A text that is invalid in its encoding, or has an unknown one, is refused")
    func wrongEncodings() throws {
        func message(_ start: String, _ bytes: [UInt8]) throws -> String {
            let data = Data("\(start)<plist><string>".utf8) + bytes + Data("</string></plist>".utf8)
            let error = try #require(throws: PropertyListParsingError.self) {
                try PropertyListValue(propertyList: data)
            }
            return error.reason
        }
        #expect(try message("", [0xE9]) == "A text that is invalid in its encoding")
        #expect(try message("<?xml encoding='us-ascii'?>", [0xE9]) == "A text that is invalid in its encoding")
        #expect(try message("<?xml encoding='X-None'?>", []) == "A text in the unknown encoding “x-none”")
    }

    /// A long run of marks takes quadratic time to hash.
    @Test("No declaration, document type or encoding hides a long key")
    func hiddenKeys() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 20_000)
        let references = String(repeating: "&#769;&#790;", count: 1_000)
        let end = ContinuousClock.now + .seconds(10 * patience)
        var lists: [Data] = []
        for key in [marks, references, String(repeating: "\u{301}", count: 31)] {
            let body = "<plist><dict><key>a\(key)</key><true/></dict></plist>"
            for start in ["", "<?xml <!-- ?>", "<!DOCTYPE plist PUBLIC \"<!--\" \"x\">"] {
                lists.append(Data((start + body).utf8))
            }
            for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32] {
                lists.append(try #require(body.data(using: encoding)))
            }
        }
        lists.append(Data("<?xml encoding='UTF-7'?>+ADw-dict+AD4-+ADw-key+AD4-\(references)+ADw-/key+AD4-".utf8))
        for list in lists {
            #expect(throws: PropertyListParsingError.self) { try PropertyListValue(propertyList: list) }
        }
        #expect(ContinuousClock.now < end)
    }

    @Test("Containers may have 512 levels")
    func depth() throws {
        func list(_ depth: Int) -> String {
            String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        }
        #expect(try read(list(512)).array?.count == 1)
        let error = try #require(throws: PropertyListParsingError.self) { try read(list(513)) }
        #expect(error.reason == "More than 512 levels, in line 1")
        let deep = String(repeating: "<dict><key>a</key>", count: 100_000)
        #expect(throws: PropertyListParsingError.self) { try read(deep) }
    }
}
