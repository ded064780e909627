/// The parameters of a `Content-Type` field (RFC 9110, section 8.3).
package enum ContentTypeField {
    /// Returns the value of the first `charset` parameter, or `nil` if there is none.
    ///
    /// Names of parameters are case-insensitive (RFC 9110, section 5.6.6).
    package static func charset(_ field: String) -> String? {
        var scanner = FieldScanner(field)
        _ = scanner.token()
        while scanner.skipSemicolon() {
            let name = scanner.token()
            // Values are always read: they may be quoted and contain semicolons.
            if let value = scanner.parameterValue(), name.isEqualIgnoringCase("charset") { return value }
        }
        return nil
    }
}
