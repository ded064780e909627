/// A value under construction: containers of an `Encoder` are written to after they have been handed out.
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

    /// Becomes another node's content.
    func replace(with other: ParameterNode) {
        content = other.content
    }

    /// Becomes an array unless it is one.
    func becomeUnkeyed() {
        guard case .unkeyed = content else {
            content = .unkeyed([])
            return
        }
    }

    /// Becomes a dictionary unless it is one.
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
        // Let go of the second reference, or each append copies the array.
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
