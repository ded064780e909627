import FerrySession

extension String {
    /// How many combining marks may follow one another: the Stream-Safe Text Format's limit (UAX 15, section 13).
    static var maximumMarks: Int { 30 }

    /// A Boolean value that indicates whether the string can be a dictionary's key without harm.
    ///
    /// Strings are hashed in a normal form, for which each run of combining marks is sorted in quadratic time: 200 KB of
    /// them take seconds.
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
