/// The character encodings by their names in HTTP, HTML and XML.
///
/// Foundation recognizes a third of the names in use (Unicode, ISO 8859-1 and -2, Windows 1250 to 1254, Japanese). The
/// others are encodings of Core Foundation, which can also be decoded on Linux.
package enum Charset {
    /// Returns the encoding for a name, ignoring case; nil if the name is unknown.
    package static func encoding(named name: String) -> String.Encoding? {
        let name = name.trimmingCharacters(in: .whitespaces).lowercased()
        return byName[name] ?? String.Encoding(ianaName: name)
    }

    private static let byName: [String: String.Encoding] = {
        var table: [String: String.Encoding] = [:]
        for (encoding, names) in foundation {
            for name in names.split(separator: " ") { table[String(name)] = encoding }
        }
        for (number, names) in coreFoundation {
            let encoding = String.Encoding(rawValue: 0x8000_0000 | number)
            for name in names.split(separator: " ") { table[String(name)] = encoding }
        }
        return table
    }()

    /// Names that Foundation does not recognize, for encodings that it supports.
    private static let foundation: [(String.Encoding, String)] = [
        (.utf8, "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        (.ascii, "ascii iso646-us ansi_x3.4-1968 iso-ir-6 csascii"),
        (.isoLatin1, "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 csisolatin1 l1 latin1 ibm819 cp819"),
        (.isoLatin2, "iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 csisolatin2 l2 latin2"),
        (.windowsCP1250, "cp1250 x-cp1250"),
        (.windowsCP1251, "cp1251 x-cp1251"),
        (.windowsCP1252, "cp1252 x-cp1252 x-ansi"),
        (.windowsCP1253, "cp1253 x-cp1253"),
        (.windowsCP1254, "cp1254 x-cp1254"),
        (.shiftJIS, "sjis x-sjis shift-jis windows-31j ms932 cp932 ms_kanji csshiftjis"),
        (.japaneseEUC, "x-euc-jp eucjp cseucpkdfmtjapanese"),
        (.utf16, "ucs-2 iso-10646-ucs-2 unicode csunicode"),
    ]

    /// Core Foundation's numbers (CFStringEncodingExt.h) and the names for them.
    ///
    /// GB 2312 and GBK are decoded as GB 18030, which contains all their characters.
    private static let coreFoundation: [(UInt, String)] = [
        (
            0x0632,
            "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 euc-cn cp936 windows-936 "
                + "iso-ir-58"
        ),
        (0x0A05, "hz-gb-2312"),
        (0x0A06, "big5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950"),
        (0x0931, "euc-tw x-euc-tw"),
        (
            0x0422,
            "euc-kr cseuckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 korean windows-949 cp949 "
                + "iso-ir-149"
        ),
        (0x0840, "iso-2022-kr csiso2022kr"),
        (0x0A02, "koi8-r cskoi8r koi8 koi8_r koi"),
        (0x0A08, "koi8-u koi8-ru"),
        (0x0203, "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 csisolatin3 latin3 l3"),
        (0x0204, "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 csisolatin4 latin4 l4"),
        (0x0205, "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 csisolatincyrillic cyrillic"),
        (
            0x0206,
            "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 csisolatinarabic arabic ecma-114 asmo-708 "
                + "iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i"
        ),
        (
            0x0207,
            "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 csisolatingreek greek greek8 ecma-118 "
                + "elot_928 sun_eu_greek"
        ),
        (
            0x0208,
            "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 csisolatinhebrew hebrew visual logical "
                + "iso-8859-8-e iso-8859-8-i csiso88598e csiso88598i"
        ),
        (0x0209, "iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 csisolatin5 latin5 l5"),
        (0x020A, "iso-8859-10 iso8859-10 iso885910 iso-ir-157 csisolatin6 latin6 l6"),
        (0x041D, "windows-874 tis-620 iso-8859-11 iso8859-11 iso885911 dos-874"),
        (0x020D, "iso-8859-13 iso8859-13 iso885913"),
        (0x020E, "iso-8859-14 iso8859-14 iso885914"),
        (0x020F, "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 latin9 l9"),
        (0x0210, "iso-8859-16 iso8859-16"),
        (0x0505, "windows-1255 cp1255 x-cp1255"),
        (0x0506, "windows-1256 cp1256 x-cp1256"),
        (0x0507, "windows-1257 cp1257 x-cp1257"),
        (0x0508, "windows-1258 cp1258 x-cp1258"),
        (0x0400, "ibm437 cp437"),
        (0x0410, "ibm850 cp850"),
        (0x041B, "ibm866 cp866 866 csibm866"),
        // Foundation's Mac OS Roman cannot decode anything on Linux.
        (0x0000, "macintosh csmacintosh mac x-mac-roman"),
        (0x0007, "x-mac-cyrillic x-mac-ukrainian"),
    ]
}
