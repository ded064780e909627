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
    package func isLinear(size: Int = 20_000) throws -> (Bool, String) {
        var times = ""
        for _ in 0..<3 {
            let (small, large) = (try time(size), try time(size * 10))
            times = "\(description): \(small) s for \(size), \(large) s for \(size * 10)"
            if large < 40 * small + 0.5 { return (true, times) }
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
    package static let parts: [String] = [
        "\u{301}", "\u{301}\u{316}", "\u{1F1E6}", "\u{1F468}\u{200D}", "\"", "\\", "\"\\", ",", ", ", ";", "; =", " ",
        "\t", "=", "a=", "a,", "a;", "%", "%41", "/", "../", ".", "-", ":", "'", "*", "\u{0}", "\r", "(", "0", "é",
    ]
}
