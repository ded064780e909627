/// A value under construction, needed since an `Encoder`'s containers may be written to after they were returned.
final class ParameterNode {
    enum Content {
        case leaf(ParameterValue)
        case set([ParameterNode])
        case unkeyed([ParameterNode])
        case keyed([String: ParameterNode])
    }

    private(set) var content: Content

    init(_ content: Content = .keyed([:])) {
        self.content = content
    }

    /// The finished value.
    var value: ParameterValue {
        switch content {
        case .leaf(let value): value
        case .set(let children): .set(children.map(\.value))
        case .unkeyed(let children): .array(children.map(\.value))
        case .keyed(let children): .dictionary(children.mapValues(\.value))
        }
    }

    /// The number of elements of an array.
    var count: Int {
        guard case .unkeyed(let children) = content else { return 0 }
        return children.count
    }

    /// Replaces the content with that of another node.
    func replace(with other: ParameterNode) {
        content = other.content
    }

    /// Replaces the content with an empty array, unless it is already an array.
    func becomeUnkeyed() {
        guard case .unkeyed = content else {
            content = .unkeyed([])
            return
        }
    }

    /// Replaces the content with an empty dictionary, unless it is already a dictionary.
    func becomeKeyed() {
        guard case .keyed = content else {
            content = .keyed([:])
            return
        }
    }

    /// Appends an element to the array.
    func append(_ child: ParameterNode) {
        guard case .unkeyed(var children) = content else {
            content = .unkeyed([child])
            return
        }
        // Release the second reference; otherwise each append copies the array.
        content = .unkeyed([])
        children.append(child)
        content = .unkeyed(children)
    }

    /// Sets a value of the dictionary.
    func set(_ child: ParameterNode, for key: String) {
        guard case .keyed(var children) = content else {
            content = .keyed([key: child])
            return
        }
        content = .keyed([:])
        children[key] = child
        content = .keyed(children)
    }
}
