extension Request: RedactedDescription {
    /// The method and the path or URL, without secrets.
    public var description: String { method.rawValue + " " + PresentableText.url(path) }
}
