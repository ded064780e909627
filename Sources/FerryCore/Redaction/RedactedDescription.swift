/// A value of which only the description is shown, since `dump` and debuggers would print secrets.
package protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedDescription {
    /// The description.
    public var debugDescription: String { description }

    /// A mirror with nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
