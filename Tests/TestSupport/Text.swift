import Foundation

/// Returns the text of a file, or `nil` if it cannot be read.
package func text(_ url: URL) -> String? {
    try? String(contentsOf: url, encoding: .utf8)
}
