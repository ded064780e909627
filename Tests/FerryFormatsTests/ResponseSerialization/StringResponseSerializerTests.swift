import FerryFormats
import Foundation
import Testing

@Suite("Text responses")
struct StringResponseSerializerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var charset: String
        var bytes: [UInt8]
        var text: String
        init(_ charset: String, _ bytes: [UInt8], _ text: String) {
            self.charset = charset
            self.bytes = bytes
            self.text = text
        }
        var testDescription: String { charset }
    }

    @Test(
        "A byte order mark decides the byte order of an encoding without one",
        arguments: [
            (String.Encoding.utf16, [0xFE, 0xFF, 0, 0x41]), (.utf16, [0xFF, 0xFE, 0x41, 0]),
            (.utf32, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41]), (.utf32, [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0]),
            (.utf16LittleEndian, [0xFF, 0xFE, 0x41, 0]),
        ] as [(String.Encoding, [UInt8])]
    )
    func byteOrder(_ encoding: String.Encoding, _ bytes: [UInt8]) {
        let response = StringResponseSerializer(encoding: encoding)
            .serialize(request: nil, response: nil, data: Data(bytes))
        #expect(response.value == "A")
    }

    static let charsets = [
        Row("utf-8", [0xC3, 0xA9], "é"), Row("UTF8", [0xC3, 0xA9], "é"), Row("us-ascii", [0x41], "A"),
        Row("iso-8859-1", [0xE9], "é"), Row("latin1", [0xE9], "é"), Row("iso-8859-2", [0xA1], "Ą"),
        Row("iso-8859-3", [0xA1], "Ħ"), Row("iso-8859-4", [0xA1], "Ą"), Row("iso-8859-5", [0xB0], "А"),
        Row("iso-8859-6", [0xC7], "ا"), Row("iso-8859-7", [0xC1], "Α"), Row("iso-8859-8", [0xE0], "א"),
        Row("iso-8859-8-i", [0xE0], "א"), Row("iso-8859-9", [0xFD], "ı"), Row("iso-8859-10", [0xA1], "Ą"),
        Row("iso-8859-13", [0xA1], "”"), Row("iso-8859-14", [0xA1], "Ḃ"), Row("iso-8859-15", [0xA4], "€"),
        Row("iso-8859-16", [0xA1], "Ą"), Row("windows-874", [0xA1], "ก"), Row("tis-620", [0xA1], "ก"),
        Row("windows-1250", [0x8A], "Š"), Row("cp1251", [0xC0], "А"), Row("windows-1252", [0x93], "“"),
        Row("windows-1253", [0xC1], "Α"), Row("windows-1254", [0xFD], "ı"), Row("windows-1255", [0xE0], "א"),
        Row("windows-1256", [0xC7], "ا"), Row("windows-1257", [0xC0], "Ą"), Row("windows-1258", [0xC0], "À"),
        Row("koi8-r", [0xC1, 0xC2], "аб"), Row("KOI8-U", [0xC1, 0xA4], "ає"), Row("macintosh", [0x80], "Ä"),
        Row("x-mac-cyrillic", [0x80], "А"), Row("ibm866", [0x80], "А"), Row("cp437", [0x80], "Ç"),
        Row("gb2312", [0xD6, 0xD0], "中"), Row("GBK", [0xD6, 0xD0], "中"), Row("gb18030", [0xD6, 0xD0], "中"),
        Row("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
        Row("hz-gb-2312", [0x7E, 0x7B, 0x56, 0x50, 0x7E, 0x7D], "中"),
        Row("big5", [0xA4, 0xA4], "中"), Row("Big5-HKSCS", [0xA4, 0xA4], "中"), Row("euc-tw", [0xC4, 0xE3], "中"),
        Row("shift_jis", [0x82, 0xA0], "あ"), Row("x-sjis", [0x82, 0xA0], "あ"), Row("windows-31j", [0x82, 0xA0], "あ"),
        Row("euc-jp", [0xA4, 0xA2], "あ"), Row("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
        Row("euc-kr", [0xB0, 0xA1], "가"), Row("ks_c_5601-1987", [0xB0, 0xA1], "가"),
        Row("iso-2022-kr", [0x1B, 0x24, 0x29, 0x43, 0x0E, 0x30, 0x21, 0x0F], "가"),
        Row("utf-16be", [0x4E, 0x2D], "中"), Row("utf-16le", [0x2D, 0x4E], "中"),
        Row("utf-16", [0xFE, 0xFF, 0x4E, 0x2D], "中"), Row("utf-32", [0, 0, 0xFE, 0xFF, 0, 0, 0x4E, 0x2D], "中"),
    ]

    @Test("A body is decoded with the charset of its Content-Type", arguments: charsets)
    func charset(row: Row) throws {
        for type in ["text/plain; charset=\(row.charset)", "text/plain; charset=\"\(row.charset)\""] {
            let result = try SampleResponse(200, type, bytes: Data(row.bytes)).serialized(by: .string)
            #expect(result.value == row.text)
            #expect(result.error == nil)
        }
    }

    @Test(
        "Parameter names are compared ignoring case, and the first charset counts (RFC 9110, section 5.6.6)",
        arguments: [
            "text/plain; Charset=gbk", "text/plain; CHARSET=GBK", "text/plain;cHaRsEt=\"gbk\"",
            "text/plain; format=flowed; Charset=gbk", "text/plain; x=\"; charset=utf-8\"; Charset=gbk",
            "text/plain; Charset=gbk; charset=utf-8", "text/plain; ;; Charset = gbk ;", "text/plain; Charset='gbk'",
        ]
    )
    func parameterNames(type: String) throws {
        let result = try SampleResponse(200, type, bytes: Data([0xD6, 0xD0])).serialized(by: .string)
        #expect(result.value == "中")
    }

    static let detected: [(String, String?, [UInt8], String)] = [
        ("without a charset, UTF-8", "text/plain", Array("é".utf8), "é"),
        ("without a charset, Windows-1252 if not UTF-8", "text/plain", [0x93, 0x61, 0x94], "“a”"),
        ("ISO 8859-1 where Windows-1252 has no character", "text/plain", [0x81, 0xE9], "\u{81}é"),
        ("an unknown charset counts as none", "text/plain; charset=nonsense", Array("é".utf8), "é"),
        (
            "a byte order mark wins over the charset", "text/plain; charset=iso-8859-1",
            [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"
        ),
        ("UTF-16, little endian", nil, [0xFF, 0xFE, 0xE9, 0x00], "é"),
        ("UTF-16, big endian", nil, [0xFE, 0xFF, 0x00, 0xE9], "é"),
        (
            "XML declaration", "application/xml", Array("<?xml version='1.0' encoding='koi8-r'?><a/>".utf8) + [0xC1],
            "<?xml version='1.0' encoding='koi8-r'?><a/>а"
        ),
        (
            "an XML declaration that names UTF-16 is ignored", "application/xhtml+xml",
            Array("<?xml version='1.0' encoding='utf-16'?>é".utf8), "<?xml version='1.0' encoding='utf-16'?>é"
        ),
        (
            "XML declaration without a content type", nil,
            Array("<?xml version='1.0' encoding = koi8-r ?><a/>".utf8) + [0xC1],
            "<?xml version='1.0' encoding = koi8-r ?><a/>а"
        ),
        (
            "the charset takes precedence over the declaration", "text/xml; charset=utf-8",
            Array("<?xml version=\"1.0\" encoding=\"koi8-r\"?>é".utf8), "<?xml version=\"1.0\" encoding=\"koi8-r\"?>é"
        ),
        (
            "plain text is not searched", "text/plain", Array("<?xml version='1.0' encoding='koi8-r'?>é".utf8),
            "<?xml version='1.0' encoding='koi8-r'?>é"
        ),
    ]

    @Test("Without a charset the body determines the encoding", arguments: detected)
    func detection(name: String, type: String?, bytes: [UInt8], text: String) throws {
        #expect(try SampleResponse(200, type, bytes: Data(bytes)).serialized(by: .string).value == text, "\(name)")
    }

    @Test("Undecodable bytes are an error, or U+FFFD with lossy conversion")
    func lossy() throws {
        let lossy = StringResponseSerializer(allowsLossyConversion: true)
        let rows: [(String, [UInt8], String)] = [
            ("utf-8", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ("shift_jis", [0x82, 0xA0, 0x0A, 0x82, 0xA0, 0xFF, 0x61, 0x82], "あ\nあ\u{FFFD}a\u{FFFD}"),
            ("utf-16le", [0x41, 0x00, 0x3D, 0xD8, 0x42], "A\u{FFFD}\u{FFFD}"),
            ("utf-16", [0x00, 0x41, 0xD8, 0x00, 0x00, 0x42], "A\u{FFFD}B"),
            ("us-ascii", [0x61, 0xC3, 0xA9], "aé"),
        ]
        for (charset, bytes, text) in rows {
            let sample = SampleResponse(200, "text/plain; charset=\(charset)", bytes: Data(bytes))
            let strict = try sample.serialized(by: .string)
            #expect(strict.value == nil)
            #expect(strict.codes == [.decodingFailed])
            #expect(try sample.serialized(by: lossy).value == text)
        }
    }

    @Test("A set encoding takes precedence, an empty body is an empty string, and an error keeps the text")
    func rest() throws {
        let sample = SampleResponse(404, "text/plain; charset=utf-8", bytes: Data([0xE9]))
        let result = try sample.serialized(by: .string(encoding: .isoLatin1))
        #expect(result.value == "é")
        #expect(result.codes == [.unacceptableStatusCode])
        #expect(try SampleResponse(200, "text/plain", "").serialized(by: .string).value == "")
        #expect(try SampleResponse(200, "text/plain").serialized(by: .string).value == nil)
        let html = StringResponseSerializer(validation: Validation(contentTypes: ["text/plain"]))
        #expect(try SampleResponse(200, "text/html", "x").serialized(by: html).value == nil)
    }
}
