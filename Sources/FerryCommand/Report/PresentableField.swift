import Ferry

/// Header fields as they are shown to people: without secrets.
enum PresentableField {
    /// Returns the value of a field without its secrets, which may be in the URLs that it contains.
    static func value(_ name: String, _ value: String) -> String {
        if SecretName.isSecret(name) { return "…" }
        return PresentableText.field(name, value)
    }
}
