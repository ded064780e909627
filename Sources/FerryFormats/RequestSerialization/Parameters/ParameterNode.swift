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

    /// Returns the dictionary or, if `isKeyed` is false, the array for a key of this dictionary; nil if there is none.
    package func container(for key: String, isKeyed: Bool) -> ParameterNode? {
        guard case .keyed(let children) = content, let child = children[key] else { return nil }
        return switch child.content {
        case .keyed: isKeyed ? child : nil
        case .unkeyed: isKeyed ? nil : child
        case .leaf, .set: nil
        }
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
