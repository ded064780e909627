extension String {
    /// The greatest number of consecutive combining marks: the limit of the Stream-Safe Text Format (UAX 15, section
    /// 13).
    package static var maximumMarks: Int { 30 }

    /// Whether the string can safely be used as a dictionary key.
    ///
    /// Strings are hashed in a normal form, for which each run of combining marks is sorted in quadratic time: 200 KB
    /// of marks take seconds.
    package var isQuicklyHashed: Bool {
        if utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.maximumMarks { return false }
        }
        return true
    }

    /// The size limit of a key in a property list, in bytes of UTF-8.
    package static var maximumKeySize: Int { 4_096 }

    /// Returns the reason why the string cannot be a further key of a property list's dictionary; nil if it can.
    package func keyRefusal<Value>(in members: [String: Value]) -> String? {
        if utf8.count > Self.maximumKeySize { return "A key of more than \(Self.maximumKeySize) bytes" }
        guard isQuicklyHashed else { return "A key with more than \(Self.maximumMarks) combining marks in a row" }
        guard members.hasOtherSpelling(of: self) else { return nil }
        return "A key that differs from another one only in Unicode normalization"
    }
}

extension Dictionary where Key == String {
    /// Returns a Boolean value that indicates whether a key equals one of the dictionary as text, but not as bytes.
    ///
    /// Strings are equal if they are canonically equivalent, so that one of the two would replace the other.
    package func hasOtherSpelling(of key: String) -> Bool {
        guard let index = index(forKey: key) else { return false }
        return !self[index].key.utf8.elementsEqual(key.utf8)
    }
}
