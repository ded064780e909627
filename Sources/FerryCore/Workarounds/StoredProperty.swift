@_spi(Reflection) private import Swift

/// The stored properties of classes of Foundation's that have no interface for them.
package enum StoredProperty {
    /// Returns the place in an object and the type of a property that a class itself declares, or `nil` if it has none
    /// with this name.
    package static func find(_ name: String, of declaring: AnyClass) -> (offset: Int, type: any Any.Type)? {
        var field: (offset: Int, type: any Any.Type)?
        // The function needs this option for a class.
        let classes = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: declaring, options: classes) { label, offset, type, _ in
            guard String(cString: label) == name else { return true }
            field = (offset, type)
            return false
        }
        return field
    }
}
