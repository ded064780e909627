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

extension String {
    /// The size limit of a key in a property list, in bytes of UTF-8.
    static var maximumKeySize: Int { 4_096 }

    /// The reason why the string cannot be used as a key of a property list; nil if it can.
    var keyRefusal: String? {
        if utf8.count > Self.maximumKeySize { return "A key of more than \(Self.maximumKeySize) bytes" }
        return isQuicklyHashed ? nil : "A key with more than \(Self.maximumMarks) combining marks in a row"
    }
}
