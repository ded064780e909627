import FerrySession

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the path or URL, without secrets.
    public var description: String { method.rawValue + " " + PresentableText.url(path) }

    /// The description.
    public var debugDescription: String { description }

    /// The description, since `dump` would print parameters and header fields.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
