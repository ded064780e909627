/// A time in seconds, as fields such as `Age` and directives such as `max-age` have it (RFC 9111, section 1.2.2).
package enum DeltaSeconds {
    /// Returns a number of only digits, with 2^31 for anything larger; `nil` for other text.
    package static func read(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        let most = 2_147_483_648
        return min(Int(text) ?? most, most)
    }
}
