import Foundation

/// Work on input of a given size, for tests that check that it takes linear time.
package struct LinearCase: Sendable, CustomStringConvertible {
    package let description: String
    private let work: @Sendable (Int) throws -> Void

    /// Creates a case from a closure that processes input of about the given size in bytes.
    package init(_ description: String, _ work: @escaping @Sendable (Int) throws -> Void) {
        self.description = description
        self.work = work
    }

    /// Returns whether ten times the input takes about ten times as long, and a description of the measured times.
    ///
    /// Only the processor time of this thread is measured, so that a busy machine does not matter. The bound is
    /// generous: quadratic work takes a hundred times as long, and seconds. A virtual machine may lose its processor
    /// while it is measured, so the best of three measurements decides.
    ///
    /// If the large input takes less time than quadratic work would (a tenth of a nanosecond for each pair of bytes),
    /// the small input is not measured.
    package func isLinear(size: Int = 20_000) throws -> (Bool, String) {
        var times = ""
        let pairs = Double(size * 10) * Double(size * 10) / 2
        let negligible = min(0.5, pairs * 1e-10)
        for _ in 0..<3 {
            let large = try time(size * 10)
            if large < negligible { return (true, "") }
            let small = try time(size)
            times = "\(description): \(small) s for \(size), \(large) s for \(size * 10)"
            if large < 40 * small + negligible { return (true, times) }
        }
        return (false, times)
    }

    private func time(_ size: Int) throws -> Double {
        let start = Self.now()
        try work(size)
        return Self.now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension String {
    /// Creates a string of a repeated part, with at most the given number of bytes and at least one part.
    package init(filling size: Int, with part: String) {
        let count = size / Swift.max(1, part.utf8.count)
        self = String(repeating: part, count: Swift.max(1, count))
    }
}

/// Texts that take quadratic time if they are read by characters, compared as strings, hashed, or sliced repeatedly.
package enum HostileText {
    /// Parts of which a text of any size is made.
    package static let parts: [String] = [
        "\u{301}", "\u{301}\u{316}", "\u{1F1E6}", "\u{1F468}\u{200D}", "\"", "\\", "\"\\", ",", ", ", ";", "; =", " ",
        "\t", "=", "a=", "a,", "a;", "%", "%41", "/", "../", ".", "-", ":", "'", "*", "\u{0}", "\r", "(", "0", "é",
    ]
    /// Further parts, for readers of URLs and cookies.
    package static let urlParts = ["@", "&", "a=", "?", "://", "'", "http://@"]
    /// Further parts, for readers of JSON and XML.
    package static let documentParts = ["[", "{\"a\":", "<a>", "<!--", "&lt;", "&#769;&#790;", "<a ", "<?", "\\u0301"]

    /// Returns the times of those texts that a reader does not handle in linear time.
    ///
    /// - Parameters:
    ///   - name: What the reader reads.
    ///   - more: Parts of texts besides ``parts``.
    ///   - read: Reads a text.
    /// - Returns: A description of the measured times for each text, empty if all took linear time.
    /// - Throws: Nothing but what a case throws.
    package static func slowTexts(
        _ name: String,
        and more: [String],
        _ read: @escaping @Sendable (String) -> Void
    ) throws -> [String] {
        try (parts + more).compactMap { part in
            let (isLinear, times) = try LinearCase("\(name) of \(part.debugDescription)") { size in
                read(String(filling: size, with: part))
            }.isLinear(size: 5_000)
            return isLinear ? nil : times
        }
    }
}
