import Foundation

/// Returns the text of a file, or `nil` if it cannot be read.
package func text(_ url: URL) -> String? {
    try? String(contentsOf: url, encoding: .utf8)
}

/// The name that the system has for this thread.
package var currentThreadName: String {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? ""
}
