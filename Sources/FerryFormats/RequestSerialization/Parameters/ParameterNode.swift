/// A value under construction, needed since an `Encoder`'s containers may be written to after they were returned.
package final class ParameterNode {
    package enum Content {
        case leaf(ParameterValue)
        case set([ParameterNode])
        case unkeyed([ParameterNode])
        case keyed([String: ParameterNode])
    }

    package var content: Content

    package init(_ content: Content = .keyed([:])) {
        self.content = content
    }

    package var value: ParameterValue {
        switch content {
        case .leaf(let value): value
        case .set(let children): .set(children.map(\.value))
        case .unkeyed(let children): .array(children.map(\.value))
        case .keyed(let children): .dictionary(children.mapValues(\.value))
        }
    }

    /// The number of elements of an array.
    package var count: Int { if case .unkeyed(let children) = content { children.count } else { 0 } }

    /// Replaces the content with an empty array, unless it is already an array.
    package func becomeUnkeyed() {
        if case .unkeyed = content { return }
        content = .unkeyed([])
    }

    /// Replaces the content with an empty dictionary, unless it is already a dictionary.
    package func becomeKeyed() {
        if case .keyed = content { return }
        content = .keyed([:])
    }

    package func append(_ child: ParameterNode) {
        guard case .unkeyed(var children) = content else {
            content = .unkeyed([child])
            return
        }
        // Release the second reference; otherwise each append copies the array.
        content = .unkeyed([])
        children.append(child)
        content = .unkeyed(children)
    }

    /// Returns whether the content is a dictionary, or, if `keyed` is false, an array.
    package func isContainer(keyed: Bool) -> Bool {
        switch content {
        case .keyed: keyed
        case .unkeyed: !keyed
        case .leaf, .set: false
        }
    }

    /// Returns the value of the dictionary for a key; nil if there is none, or this is not a dictionary.
    package func child(for key: String) -> ParameterNode? {
        if case .keyed(let children) = content { children[key] } else { nil }
    }

    package func set(_ child: ParameterNode, for key: String) {
        guard case .keyed(var children) = content else {
            content = .keyed([key: child])
            return
        }
        content = .keyed([:])
        children[key] = child
        content = .keyed(children)
    }
}
