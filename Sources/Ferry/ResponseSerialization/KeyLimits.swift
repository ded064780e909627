import Foundation

extension String {
    /// The greatest number of consecutive combining marks: the limit of the Stream-Safe Text Format (UAX 15, section
    /// 13).
    static var maximumMarks: Int { 30 }

    /// Whether the string can safely be used as a dictionary key.
    ///
    /// Strings are hashed in a normal form, for which each run of combining marks is sorted in quadratic time: 200 KB
    /// of marks take seconds.
    var isQuicklyHashed: Bool {
        if utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.maximumMarks { return false }
        }
        return true
    }
}

/// A check of the keys of an XML property list, made before Foundation puts them into a dictionary.
///
/// Hashing a long run of combining marks takes quadratic time. In XML each mark may be written as a character
/// reference, so the size of the keys as written is limited.
enum XMLPropertyListKeys {
    /// The size limit of a key as written, in bytes of UTF-8.
    static let maximumSize = 4_096

    /// Returns a Boolean value that indicates whether no key is larger than the limit, or contains more than text.
    static func areShort(in data: Data) -> Bool {
        guard let mark = Charset.byteOrderMark(of: data), mark.encoding != .utf8 else {
            return areShort(in: [UInt8](data))
        }
        // Foundation rejects text that cannot be decoded.
        return Charset.string(data, encoding: mark.encoding).map { areShort(in: Array($0.utf8)) } ?? true
    }

    private static func areShort(in bytes: [UInt8]) -> Bool {
        let (opening, closing) = (Array("<key".utf8), Array("</key".utf8))
        let sections = [("<![CDATA[", "]]>"), ("<!--", "-->")].map { (Array($0.utf8), Array($1.utf8)) }
        var start: Int?
        var index = 0
        while let next = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = bytes[next...]
            index = next + 1
            if let (_, end) = sections.first(where: { rest.starts(with: $0.0) }) {
                // Tags in a section are text, also a closing one in a key.
                if start != nil { return false }
                guard let last = rest.indices.first(where: { bytes[$0...].starts(with: end) }) else { return true }
                index = last + end.count
            } else if rest.starts(with: closing) {
                if let start, next - start - opening.count > maximumSize { return false }
                start = nil
            } else if start == nil, rest.starts(with: opening) {
                start = next
            }
        }
        return true
    }
}
