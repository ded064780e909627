/// What a `Content-Type` field says beside the type (RFC 9110, section 8.3).
package enum ContentTypeField {
    /// Returns the value of the `charset` parameter, or `nil` where there is none; of several, the first counts.
    ///
    /// Names of parameters are compared without case (RFC 9110, section 5.6.6).
    package static func charset(_ field: String) -> String? {
        var scanner = FieldScanner(field)
        _ = scanner.token()
        while scanner.skipSemicolon() {
            let name = scanner.token()
            // Values are read in any case: they may be quoted and have semicolons.
            if let value = scanner.parameterValue(), name.isEqualIgnoringCase("charset") { return value }
        }
        return nil
    }
}
